//! Where a skill's own manifests and settings let packages come from.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use skillyard_format::Span;

use super::{Findings, PreparedSkill, UnitContext, install_hook};
use crate::Severity;
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;
use crate::prepare::PreparedFile;

rule! {
    /// A manifest or a setting of the skill gets packages from elsewhere.
    ///
    /// `.npmrc`, `pip.conf` and their relatives decide where every package comes from that is
    /// installed beside them, and the command does not show it. A dependency that is an address
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

static INDEX_SETTING: Pattern = Pattern::new(
    r#"^["']?(?:(?:@[\w.-]+:)?registry|npmregistryserver|(?:global\.)?(?:extra[-_]|default[-_])?index[-_]url|default-index|find[-_]links|trusted[-_]host)["']?\s*[=:]\s*["'\[]*\S+|
    ^index\s*=\s*\[\s*\{|^source\s+["']https?://\S+|^https?://\S+$"#,
);
static TABLE: Pattern = Pattern::new(
    r"^\[\[?(?:tool\.)?(?:uv\.index|poetry\.source|pdm\.source|source|index|registries\.[\w-]+|source\.[\w-]+|install\.scopes)\]\]?",
);
static URL: Pattern =
    Pattern::new(r#"^(?:url|registry|index)\s*=\s*["'](?:sparse\+)?https?://\S+"#);
static REQUIREMENT_URL: Pattern = Pattern::new(
    r"^(?:-e\s+|--editable[\s=])?(?:[\w.\[\],-]+\s*@\s*)?(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git)://\S+",
);
/// Registries, and where many people publish and a reader can look first.
static KNOWN_REGISTRIES: Pattern = Pattern::new(
    r"^(?:[\w-]+\.)*(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|huggingface\.co|pypi\.org|pythonhosted\.org|pytorch\.org|npmjs\.(?:org|com)|yarnpkg\.com|jsr\.io|rubygems\.org|crates\.io|
    nvidia\.com|googleapis\.com|pkg\.dev|npmmirror\.com|tsinghua\.edu\.cn|aliyun\.com|ustc\.edu\.cn|jfrog\.io|intel\.com|amd\.com|apache\.org)$",
);
static ADDRESS: Pattern = Pattern::new(r"^(?:git\+)?(?:https?|ssh|git)://|^git@");
static FORGE: Pattern =
    Pattern::new(r"^(?:github|gitlab|bitbucket|gist):\S|^[\w.-]+/[\w.-]+(?:\#\S*)?$");

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    let mut manifests = Manifests::default();
    for file in skill.files.iter().filter(|file| is_manifest(file)) {
        manifests.add(file.path, &manifest(file));
    }
    for (index, file) in skill.files.iter().enumerate() {
        let name = file.name().to_ascii_lowercase();
        match name.as_str() {
            "package.json" => check_manifest(skill, index, &manifests, findings),
            ".npmrc" | "npmrc" | ".yarnrc" | ".yarnrc.yml" | "bunfig.toml" | "pip.conf"
            | "pip.ini" | ".pydistutils.cfg" | "setup.cfg" | "uv.toml" | "pyproject.toml"
            | "pipfile" | "gemfile" => check_lines(skill, index, &index_setting, findings),
            "config.toml" if file.path.ends_with(".cargo/config.toml") => {
                check_lines(skill, index, &index_setting, findings);
            }
            _ if is_requirements_file(&name) => {
                check_lines(skill, index, &requirement_from_url, findings);
            }
            _ => {}
        }
    }
}

fn is_manifest(file: &PreparedFile<'_>) -> bool {
    file.name().eq_ignore_ascii_case("package.json")
}

/// What a `package.json` says, or nothing.
fn manifest(file: &PreparedFile<'_>) -> Value {
    // Package managers pass over the mark at the beginning.
    let source = file.source.trim_start_matches('\u{feff}');
    serde_json::from_str(source).unwrap_or_default()
}

/// Whether a file of this name lists packages for `pip`.
fn is_requirements_file(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    ending == "txt" && (stem.contains("requirements") || stem.contains("constraints"))
}

/// The lines of a file, as they are written; where it is a document, a unit has many.
fn check_lines(
    skill: &PreparedSkill<'_>,
    index: usize,
    what: &dyn Fn(&str, &str) -> Option<&'static str>,
    findings: &mut Findings<'_>,
) {
    let file = &skill.files[index];
    let mut table = String::new();
    let mut start = 0;
    for line in file.source.split_inclusive('\n') {
        let (from, plain) = (start, line.trim().to_ascii_lowercase());
        start += line.len();
        if plain.starts_with('[') {
            table.clone_from(&plain);
        }
        if let Some(message) = what(&plain, &table) {
            let severity = severity(&plain).lowered(u8::from(is_in_tests(skill, index)));
            let span = Span::new(from, from + line.trim_end().len());
            findings.add_span(&RULE, index, Some(span), severity, message);
        }
    }
}

fn index_setting(line: &str, table: &str) -> Option<&'static str> {
    let is_set = INDEX_SETTING.is_match(line) && (line.contains("://") || line.contains("trusted"));
    let is_source = URL.is_match(line) && TABLE.is_match(table);
    (is_set || is_source).then_some("packages come from another index")
}

fn requirement_from_url(line: &str, _: &str) -> Option<&'static str> {
    let is_required = REQUIREMENT_URL.is_match(line);
    is_required.then_some("a package comes from an address")
}

/// The severity by the least trusted address in a text.
fn severity(text: &str) -> Severity {
    match hosts::least_trusted(text) {
        Some(HostTrust::Doubtful | HostTrust::Plain) => Severity::High,
        Some(HostTrust::Local | HostTrust::Installer) => Severity::Info,
        _ if hosts_in(text).all(|host| KNOWN_REGISTRIES.is_match(host)) => Severity::Low,
        _ => Severity::Medium,
    }
}

/// The hosts in a text: behind any scheme, and as `git@HOST:PATH`.
fn hosts_in(text: &str) -> impl Iterator<Item = &str> {
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
    skill: &PreparedSkill<'_>,
    index: usize,
    manifests: &Manifests,
    findings: &mut Findings<'_>,
) {
    let file = &skill.files[index];
    let manifest = manifest(file);
    let lower = u8::from(is_in_tests(skill, index));
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
                let span = key_span(file, package);
                let message = format!("the package `{package}` comes from an address");
                let severity = severity(&plain).lowered(lower);
                findings.add_span(&RULE, index, span, severity, message);
            }
        }
    }
    for (hook, severity) in manifests.hooks(file.path) {
        let severity = severity.lowered(lower);
        let span = key_span(file, hook);
        install_hook::add(index, span, severity, findings);
    }
}

/// Where a key of a manifest stands; nowhere if it is spelled in another way.
fn key_span(file: &PreparedFile<'_>, key: &str) -> Option<Span> {
    let start = file.source.find(&format!("\"{key}\""))?;
    let line = file.source[start..].split(['\n', ',']).next()?;
    Some(Span::new(start, start + line.trim_end().len()))
}

fn is_in_tests(skill: &PreparedSkill<'_>, index: usize) -> bool {
    let file = &skill.files[index];
    !file.units.is_empty() && UnitContext::new(skill, index, 0).is_in_tests()
}

/// Options that say in which folder the manifest lies; npm also takes their beginnings.
const FOLDER_OPTIONS: [&str; 4] = ["--prefix", "--cwd", "--dir", "-C"];
/// Options that choose packages of a workspace by a name.
const MEMBER_OPTIONS: [&str; 4] = ["--workspace", "--filter", "-w", "-F"];
/// Options that choose all packages of a workspace.
const ALL_MEMBERS_OPTIONS: [&str; 4] = ["--workspaces", "--recursive", "-ws", "-r"];
/// The shortest beginning of an option that stands for nothing else.
const MIN_OPTION_PREFIX: usize = 4;

/// A call of a package manager that does nothing else.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PackageCommand<'c> {
    /// The manifest that is meant.
    pub(super) scope: ManifestScope<'c>,
    /// The script that it starts, if it starts one.
    pub(super) script: Option<&'c str>,
    /// The command without what says where.
    pub(super) rest: String,
}

/// Which manifest a call is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ManifestScope<'c> {
    /// Its own.
    Own,
    /// That of a folder.
    Folder(&'c str),
    /// Those of packages in the same workspace.
    Members,
}

impl<'c> PackageCommand<'c> {
    /// Understands a command, if it is one.
    pub(super) fn parse(command: &'c str) -> Option<Self> {
        if command.contains([';', '&', '|', '$', '`', '<', '>', '\n', '\r']) {
            return None;
        }
        let mut words = command.split_whitespace().peekable();
        let manager = words.next()?;
        if !["npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx"].contains(&manager) {
            return None;
        }
        let (mut scope, mut plain, mut rest) = (ManifestScope::Own, Vec::new(), vec![manager]);
        while let Some(word) = words.next() {
            let (option, value) = word
                .split_once('=')
                .map_or((word, None), |(option, value)| (option, Some(value)));
            if word == "--" {
                // What follows is for the script.
                rest.extend(words);
                break;
            } else if matches_option(option, &FOLDER_OPTIONS) {
                let value = value.or_else(|| words.next())?;
                scope = ManifestScope::Folder(value.trim_matches(['"', '\'']));
            } else if matches_option(option, &MEMBER_OPTIONS) {
                scope = ManifestScope::Members;
                // For one manager `-w` is the root of the workspace and takes no name.
                words.next_if(|word| value.is_none() && !word.starts_with('-') && !is_verb(word));
            } else if matches_option(option, &ALL_MEMBERS_OPTIONS) {
                scope = ManifestScope::Members;
            } else {
                rest.push(word);
                if !word.starts_with('-') {
                    plain.push(word);
                }
            }
        }
        let mut plain = plain.into_iter();
        let first = plain.next();
        let script = match (manager, first) {
            ("yarn", Some("workspace")) => {
                scope = ManifestScope::Members;
                plain.nth(1).filter(|word| !is_verb(word)).or(plain.next())
            }
            ("npm" | "pnpm" | "yarn" | "bun", Some("run" | "run-script")) => plain.next(),
            ("npm", Some("start" | "stop" | "restart" | "test"))
            | ("pnpm" | "yarn" | "bun", Some(_)) => first,
            _ => None,
        };
        let rest = rest.join(" ");
        Some(Self {
            scope,
            script,
            rest,
        })
    }
}

/// Whether an option is one of these, or the beginning of one.
fn matches_option(option: &str, options: &[&str]) -> bool {
    let mut options = options.iter();
    options.any(|each| {
        *each == option || option.len() >= MIN_OPTION_PREFIX && each.starts_with(option)
    })
}

/// Whether a word is a subcommand rather than a name.
fn is_verb(word: &str) -> bool {
    matches!(
        word,
        "run" | "run-script" | "start" | "stop" | "restart" | "test" | "install" | "i" | "ci"
    )
}

/// How many scripts may start each other.
const MAX_SCRIPT_DEPTH: usize = 8;

/// The scripts of all manifests of a skill, by the folders that these lie in.
#[derive(Debug, Default)]
pub(super) struct Manifests(BTreeMap<String, Map<String, Value>>);

/// What is known of the scripts that were looked at: whether each does what many packages do.
type UsualScripts<'a> = BTreeMap<(&'a str, String), bool>;

impl Manifests {
    /// Notes the scripts of the manifest at `path`.
    pub(super) fn add(&mut self, path: &str, manifest: &Value) {
        let scripts = manifest.get("scripts").and_then(Value::as_object);
        let scripts = scripts.cloned().unwrap_or_default();
        self.0.insert(folder(path).to_owned(), scripts);
    }

    /// What runs by itself when the package at `path` is installed, but for what every package runs.
    pub(super) fn hooks(&self, path: &str) -> Vec<(&'static str, Severity)> {
        let hooks = [
            ("preinstall", Severity::Medium),
            ("install", Severity::Medium),
            ("postinstall", Severity::Medium),
            ("prepare", Severity::Low),
        ];
        let Some((folder, scripts)) = self.0.get_key_value(folder(path)) else {
            return Vec::new();
        };
        let known = &mut UsualScripts::new();
        let unusual = hooks.into_iter().filter(|(hook, _)| {
            let command = scripts.get(*hook).and_then(Value::as_str);
            command.is_some_and(|command| !self.is_usual(folder, command, MAX_SCRIPT_DEPTH, known))
        });
        unusual.collect()
    }

    /// Whether a command in a folder does what many packages do, also where it starts other scripts.
    fn is_usual<'a>(
        &'a self,
        folder: &'a str,
        command: &str,
        starts: usize,
        known: &mut UsualScripts<'a>,
    ) -> bool {
        let mut parts = command.split("&&").map(str::trim);
        parts.all(|part| {
            let Some(call) = PackageCommand::parse(part) else {
                return install_hook::is_usual(part);
            };
            let Some(folders) = self.folders(folder, &call.scope) else {
                return false;
            };
            let name = call.script.unwrap_or_default();
            let mut having = folders
                .into_iter()
                .filter(|folder| self.0[*folder].contains_key(name))
                .peekable();
            if having.peek().is_none() {
                return install_hook::is_usual(&call.rest);
            }
            starts > 0 && having.all(|each| self.is_usual_script(each, name, starts - 1, known))
        })
    }

    /// Whether a script is usual, with what runs before and after it.
    fn is_usual_script<'a>(
        &'a self,
        folder: &'a str,
        name: &str,
        starts: usize,
        known: &mut UsualScripts<'a>,
    ) -> bool {
        let key = (folder, name.to_owned());
        if let Some(known) = known.get(&key) {
            return *known;
        }
        // What starts itself has no end.
        known.insert(key.clone(), false);
        let around = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        let mut commands = around
            .iter()
            .filter_map(|name| self.0[folder].get(name)?.as_str());
        let is_usual = commands.all(|next| self.is_usual(folder, next, starts, known));
        known.insert(key, is_usual);
        is_usual
    }

    /// The folders whose manifests are meant, seen from one of them; nothing if one is not in the
    /// skill, so that it is unknown what it runs.
    fn folders<'a>(&'a self, from: &'a str, place: &ManifestScope<'_>) -> Option<Vec<&'a str>> {
        match place {
            ManifestScope::Own => Some(vec![from]),
            ManifestScope::Folder(named) => {
                let (folder, _) = self.0.get_key_value(&joined(from, named)?)?;
                Some(vec![folder])
            }
            ManifestScope::Members => Some(self.0.keys().map(String::as_str).collect()),
        }
    }
}

/// The folder of a file.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path that is seen from a folder, unless it leads out of the skill.
fn joined(from: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, scope: ManifestScope<'_>, script: Option<&str>, rest: &str) {
        let expected = PackageCommand {
            scope,
            script,
            rest: rest.to_owned(),
        };
        assert_eq!(PackageCommand::parse(command), Some(expected), "{command}");
    }

    #[test]
    fn what_says_where_is_read_wherever_it_stands() {
        let build = Some("build");
        check("npm run build", ManifestScope::Own, build, "npm run build");
        for command in [
            "npm run build --prefix tools",
            "npm --prefix tools run build",
            "npm --prefix=tools run build",
            "npm -C 'tools' run build",
            "npm --pref tools run build",
        ] {
            check(
                command,
                ManifestScope::Folder("tools"),
                build,
                "npm run build",
            );
        }
        check(
            "pnpm --dir tools build",
            ManifestScope::Folder("tools"),
            build,
            "pnpm build",
        );
        check(
            "yarn build --cwd tools",
            ManifestScope::Folder("tools"),
            build,
            "yarn build",
        );
        check(
            "npm run build -w tools",
            ManifestScope::Members,
            build,
            "npm run build",
        );
        check(
            "npm -w tools run build",
            ManifestScope::Members,
            build,
            "npm run build",
        );
        check("pnpm -r build", ManifestScope::Members, build, "pnpm build");
        check(
            "npm run build --workspaces",
            ManifestScope::Members,
            build,
            "npm run build",
        );
        check(
            "yarn workspace tools run build",
            ManifestScope::Members,
            build,
            "yarn workspace tools run build",
        );
        check(
            "npm run build -- --prefix x",
            ManifestScope::Own,
            build,
            "npm run build --prefix x",
        );
        check(
            "npm ci --prefix=..",
            ManifestScope::Folder(".."),
            None,
            "npm ci",
        );
        check(
            "npx --prefix x husky",
            ManifestScope::Folder("x"),
            None,
            "npx husky",
        );
        assert_eq!(PackageCommand::parse("npm run build; x"), None);
        assert_eq!(PackageCommand::parse("make -C x"), None);
    }
}
