//! Where a skill's own manifests and settings let packages come from.

mod call;
mod hooks;

use hooks::Manifests;
use serde_json::Value;
use skillyard_format::Span;

use super::{Findings, Here, Subject, install_hook};
use crate::Severity;
use crate::hosts::{self, Standing};
use crate::pattern::Pattern;
use crate::prepare::Prepared;

rule! {
    /// A manifest or a setting of the skill gets packages from elsewhere.
    ///
    /// `.npmrc`, `pip.conf` and their relatives decide where every package comes from that is
    /// installed beside them, and nobody sees it in the command. A dependency that is an address
    /// is what its server sends on that day. Packages run code when they are installed.
    ///
    /// **Fix:** name packages of the registry with their versions, and leave the index as it is.
    "scan-package-source", High,
    "name packages of the registry with their versions, and leave the index as it is",
    skill: check
}

/// The parts of a `package.json` that name packages.
const DEPENDENCIES: [&str; 6] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
];

static SETTING: Pattern = Pattern::new(
    r#"^["']?(?:(?:@[\w.-]+:)?registry|npmregistryserver|(?:global\.)?(?:extra[-_]|default[-_])?index[-_]url|default-index|find[-_]links|trusted[-_]host)["']?\s*[=:]\s*["'\[]*\S+|
    ^index\s*=\s*\[\s*\{|^source\s+["']https?://\S+|^https?://\S+$"#,
);
static TABLE: Pattern = Pattern::new(
    r"^\[\[?(?:tool\.)?(?:uv\.index|poetry\.source|pdm\.source|source|index|registries\.[\w-]+|source\.[\w-]+|install\.scopes)\]\]?",
);
static URL: Pattern =
    Pattern::new(r#"^(?:url|registry|index)\s*=\s*["'](?:sparse\+)?https?://\S+"#);
static REQUIRED: Pattern = Pattern::new(
    r"^(?:-e\s+|--editable[\s=])?(?:[\w.\[\],-]+\s*@\s*)?(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git)://\S+",
);
/// Registries, and where many people publish and a reader can look first.
static USUAL: Pattern = Pattern::new(
    r"^(?:[\w-]+\.)*(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|huggingface\.co|pypi\.org|pythonhosted\.org|pytorch\.org|npmjs\.(?:org|com)|yarnpkg\.com|jsr\.io|rubygems\.org|crates\.io|
    nvidia\.com|googleapis\.com|pkg\.dev|npmmirror\.com|tsinghua\.edu\.cn|aliyun\.com|ustc\.edu\.cn|jfrog\.io|intel\.com|amd\.com|apache\.org)$",
);
static ADDRESS: Pattern = Pattern::new(r"^(?:git\+)?(?:https?|ssh|git)://|^git@");
static FORGE: Pattern =
    Pattern::new(r"^(?:github|gitlab|bitbucket|gist):\S|^[\w.-]+/[\w.-]+(?:\#\S*)?$");

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    let mut manifests = Manifests::default();
    for file in subject.files.iter().filter(|file| is_manifest(file)) {
        manifests.add(file.path, &manifest(file));
    }
    for (index, file) in subject.files.iter().enumerate() {
        let name = file.name().to_ascii_lowercase();
        match name.as_str() {
            "package.json" => check_manifest(subject, index, &manifests, findings),
            ".npmrc" | "npmrc" | ".yarnrc" | ".yarnrc.yml" | "bunfig.toml" | "pip.conf"
            | "pip.ini" | ".pydistutils.cfg" | "setup.cfg" | "uv.toml" | "pyproject.toml"
            | "pipfile" | "gemfile" => check_lines(subject, index, &setting, findings),
            "config.toml" if file.path.ends_with(".cargo/config.toml") => {
                check_lines(subject, index, &setting, findings);
            }
            _ if is_list(&name) => check_lines(subject, index, &required, findings),
            _ => {}
        }
    }
}

fn is_manifest(file: &Prepared<'_>) -> bool {
    file.name().eq_ignore_ascii_case("package.json")
}

/// What a `package.json` says, or nothing.
fn manifest(file: &Prepared<'_>) -> Value {
    // Package managers pass over the mark at the beginning.
    let source = file.source.trim_start_matches('\u{feff}');
    serde_json::from_str(source).unwrap_or_default()
}

/// Whether a file of this name lists packages for `pip`.
fn is_list(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    ending == "txt" && (stem.contains("requirements") || stem.contains("constraints"))
}

/// The lines of a file, as they are written; where it is a document, a unit has many.
fn check_lines(
    subject: &Subject<'_>,
    index: usize,
    what: &dyn Fn(&str, &str) -> Option<&'static str>,
    findings: &mut Findings<'_>,
) {
    let file = &subject.files[index];
    let mut table = String::new();
    let mut start = 0;
    for line in file.source.split_inclusive('\n') {
        let (from, plain) = (start, line.trim().to_ascii_lowercase());
        start += line.len();
        if plain.starts_with('[') {
            table.clone_from(&plain);
        }
        if let Some(message) = what(&plain, &table) {
            let severity = severity(&plain).lowered(u8::from(is_of_tests(subject, index)));
            let span = Span::new(from, from + line.trim_end().len());
            findings.add_source(&RULE, index, Some(span), severity, message);
        }
    }
}

fn setting(line: &str, table: &str) -> Option<&'static str> {
    let is_set = SETTING.is_match(line) && (line.contains("://") || line.contains("trusted"));
    let is_source = URL.is_match(line) && TABLE.is_match(table);
    (is_set || is_source).then_some("packages come from another index")
}

fn required(line: &str, _: &str) -> Option<&'static str> {
    let is_required = REQUIRED.is_match(line);
    is_required.then_some("a package comes from an address")
}

/// How far the worst of the addresses in a text can be believed.
fn severity(text: &str) -> Severity {
    match hosts::worst(text) {
        Some(Standing::Doubtful | Standing::Plain) => Severity::High,
        Some(Standing::Local | Standing::Installer) => Severity::Info,
        _ if places(text).all(|host| USUAL.is_match(host)) => Severity::Low,
        _ => Severity::Medium,
    }
}

/// The hosts in a text: behind any scheme, and as `git@HOST:PATH`.
fn places(text: &str) -> impl Iterator<Item = &str> {
    let schemes = text.match_indices("://").map(|(at, _)| &text[at..]);
    let by_user = text.strip_prefix("git@").into_iter();
    schemes.chain(by_user).map(|url| {
        let host = hosts::host(url);
        let end = host.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-'));
        &host[..end.unwrap_or(host.len())]
    })
}

/// The dependencies of a `package.json`, and what it runs when it is installed.
fn check_manifest(
    subject: &Subject<'_>,
    index: usize,
    manifests: &Manifests,
    findings: &mut Findings<'_>,
) {
    let file = &subject.files[index];
    let manifest = manifest(file);
    let lower = u8::from(is_of_tests(subject, index));
    for part in DEPENDENCIES {
        let Some(Value::Object(packages)) = manifest.get(part) else {
            continue;
        };
        for (package, wanted) in packages {
            let Some(wanted) = wanted.as_str() else {
                continue;
            };
            let plain = wanted.to_ascii_lowercase();
            let is_path = plain.starts_with(['.', '~', '/']);
            if ADDRESS.is_match(plain.as_str()) || (FORGE.is_match(plain.as_str()) && !is_path) {
                let span = place(file, package);
                let message = format!("the package `{package}` comes from an address");
                let severity = severity(&plain).lowered(lower);
                findings.add_source(&RULE, index, span, severity, message);
            }
        }
    }
    for (hook, severity) in manifests.hooks(file.path) {
        let severity = severity.lowered(lower);
        let span = place(file, hook);
        install_hook::add(index, span, severity, findings);
    }
}

/// Where a key of a manifest stands; nowhere if it is spelled in another way.
fn place(file: &Prepared<'_>, key: &str) -> Option<Span> {
    let start = file.source.find(&format!("\"{key}\""))?;
    let line = file.source[start..].split(['\n', ',']).next()?;
    Some(Span::new(start, start + line.trim_end().len()))
}

fn is_of_tests(subject: &Subject<'_>, index: usize) -> bool {
    let file = &subject.files[index];
    !file.units.is_empty() && Here::new(subject, index, 0).is_of_tests()
}
