//! Every key there is: its type, its default, what a project may do with it, and its words for
//! the documentation.
//!
//! Files, the command line, the environment, completions and `docs/configuration.md` all go by
//! this one table. A segment in capitals stands for a name that the user chooses.

use skillyard_catalog::source::PRESETS;
use skillyard_format::nearest::nearest;

use super::kind::Kind;

/// One key.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name, with a segment in capitals where the user chooses.
    pub(crate) key: &'static str,
    /// What its value may be.
    pub(crate) kind: Kind,
    /// The value without any configuration, as written in TOML.
    pub(crate) default: Option<&'static str>,
    /// What a project's file may do with it.
    pub(crate) project: Project,
    /// What several layers amount to.
    pub(crate) layers: Layers,
    /// What it is for, in a sentence.
    pub(crate) doc: &'static str,
}

/// What a project's file may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Project {
    /// Say what it likes.
    Free,
    /// Only make it tighter than the user has it.
    Tighten,
    /// Nothing, for this reason.
    Never(&'static str),
}

/// What several layers amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layers {
    /// The strongest layer that says something wins.
    Strongest,
    /// All of them count.
    Together,
    /// Only the organisation's file may say it.
    OrgOnly,
}

const SOURCES: &str = "it decides where skills come from";
const TRUST: &str = "it decides what is trusted";
const SECRETS: &str = "your tokens would be sent there";
const MACHINE: &str = "it is about this machine, not about the project";

/// Where skills can come from, as `[trust.PROVENANCE]` names it, and what holds for each.
pub(crate) const PROVENANCES: &[Provenance] = &[
    provenance("builtin", "high", "sandboxed", "never"),
    provenance("org", "high", "sandboxed", "never"),
    provenance("own", "high", "sandboxed", "never"),
    provenance("registry-signed", "high", "sandboxed", "install"),
    provenance("registry", "medium", "sandboxed", "install"),
    provenance("local", "medium", "sandboxed", "first-run"),
    provenance("git", "low", "sandboxed-offline", "install-and-first-run"),
    provenance("archive", "untrusted", "blocked", "opt-in"),
    provenance("well-known", "untrusted", "blocked", "opt-in"),
    provenance("mcp", "untrusted", "blocked", "opt-in"),
    provenance("project", "untrusted", "blocked", "opt-in"),
];

/// A row of the table of trust.
#[derive(Debug)]
pub(crate) struct Provenance {
    /// Its name.
    pub(crate) name: &'static str,
    /// How far it is trusted.
    pub(crate) tier: &'static str,
    /// What scripts may do.
    pub(crate) scripts: &'static str,
    /// When the user is asked.
    pub(crate) ask: &'static str,
}

const fn provenance(
    name: &'static str,
    tier: &'static str,
    scripts: &'static str,
    ask: &'static str,
) -> Provenance {
    Provenance {
        name,
        tier,
        scripts,
        ask,
    }
}

/// Words that a reference can begin with, which no source may take.
const TAKEN: &[&str] = &[
    "file", "git", "github", "gitlab", "http", "https", "npm", "oci", "skill", "ssh",
];

const PRECEDENCE: &[&str] = &[
    PRESETS[0].0,
    PRESETS[1].0,
    PRESETS[2].0,
    PRESETS[3].0,
    PRESETS[4].0,
];

/// The table, in the order of the documentation.
pub(crate) const ENTRIES: &[Entry] = &[
    entry(
        "discovery.directories",
        Kind::Paths,
        Project::Never(SOURCES),
        "Further folders to look for skills in, in order.",
    ),
    with_default(
        "discovery.precedence",
        Kind::Word(PRECEDENCE),
        "\"default\"",
        Project::Never(SOURCES),
        "The order of sources, by the name of a preset.",
    ),
    with_default(
        "discovery.trust_projects",
        Kind::Word(&["always", "ask", "never"]),
        "\"ask\"",
        Project::Never(TRUST),
        "Whether the skills of a project may be used before `skillyard trust`.",
    ),
    with_default(
        "discovery.max_depth",
        Kind::Count { least: 1, most: 64 },
        "6",
        Project::Tighten,
        "How many folders deep skills are looked for.",
    ),
    with_default(
        "discovery.max_folders",
        Kind::Count {
            least: 1,
            most: 1_000_000,
        },
        "2000",
        Project::Tighten,
        "How many folders of a source are looked into.",
    ),
    together(
        "skills.enabled",
        Kind::Globs,
        Project::Never("it would switch on what you have switched off"),
        "Skills that are switched on, whatever a weaker layer says.",
    ),
    together(
        "skills.disabled",
        Kind::Globs,
        Project::Free,
        "Skills that are switched off.",
    ),
    together(
        "skills.allow",
        Kind::Globs,
        Project::Free,
        "If not empty, only these skills.",
    ),
    together(
        "skills.deny",
        Kind::Globs,
        Project::Free,
        "Never these skills; no layer takes it back.",
    ),
    together(
        "org",
        Kind::OrgFolders,
        Project::Never(SOURCES),
        "Folders of the organisation: `[[org]]` with `path` and `pinned`.",
    ),
    entry(
        "registry.url",
        Kind::Url,
        Project::Never(SOURCES),
        "The registry that plain names are looked up in.",
    ),
    entry(
        "registry.auth",
        Kind::Auth,
        Project::Never(SECRETS),
        "How to log in to it.",
    ),
    with_default(
        "sources.NAME.type",
        Kind::Word(&[
            "registry",
            "git",
            "github",
            "gitlab",
            "well-known",
            "archive",
        ]),
        "\"registry\"",
        Project::Never(SOURCES),
        "What kind of source it is.",
    ),
    entry(
        "sources.NAME.url",
        Kind::Url,
        Project::Never(SOURCES),
        "Where the source `NAME:` is.",
    ),
    entry(
        "sources.NAME.auth",
        Kind::Auth,
        Project::Never(SECRETS),
        "How to log in to it.",
    ),
    with_default(
        "hosts.github.url",
        Kind::Url,
        "\"https://github.com\"",
        Project::Never(SECRETS),
        "The pages of GitHub, or of your GitHub Enterprise.",
    ),
    entry(
        "hosts.github.api",
        Kind::Url,
        Project::Never(SECRETS),
        "Its API; `/api/v3` below the URL when only that is set.",
    ),
    entry(
        "hosts.github.token",
        Kind::Token,
        Project::Never(SECRETS),
        "A token for it; without one `GH_TOKEN` and `GITHUB_TOKEN` are tried.",
    ),
    with_default(
        "hosts.gitlab.url",
        Kind::Url,
        "\"https://gitlab.com\"",
        Project::Never(SECRETS),
        "The pages of GitLab, or of your own.",
    ),
    entry(
        "hosts.gitlab.api",
        Kind::Url,
        Project::Never(SECRETS),
        "Its API; `/api/v4` below the URL when not set.",
    ),
    entry(
        "hosts.gitlab.token",
        Kind::Token,
        Project::Never(SECRETS),
        "A token for it; without one `GITLAB_TOKEN` is tried.",
    ),
    with_default(
        "install.scope",
        Kind::Word(&["user", "project"]),
        "\"project\"",
        Project::Tighten,
        "Where `install` puts skills.",
    ),
    entry(
        "install.agents",
        Kind::Names,
        Project::Free,
        "The agents to install for; without it those that are found.",
    ),
    with_default(
        "install.link",
        Kind::Switch,
        "false",
        Project::Free,
        "Link into the store instead of copying.",
    ),
    with_default(
        "scripts.allow",
        Kind::Switch,
        "false",
        Project::Tighten,
        "Answer yes when a skill's script is to run for the first time. Never lifts a block.",
    ),
    entry(
        "trust.PROVENANCE.tier",
        Kind::Word(&["high", "medium", "low", "untrusted"]),
        Project::Tighten,
        "How far skills of this provenance are trusted.",
    ),
    entry(
        "trust.PROVENANCE.scripts",
        Kind::Word(&["sandboxed", "sandboxed-offline", "blocked"]),
        Project::Tighten,
        "What their scripts may do.",
    ),
    entry(
        "trust.PROVENANCE.ask",
        Kind::Word(&[
            "never",
            "first-run",
            "install",
            "install-and-first-run",
            "opt-in",
        ]),
        Project::Tighten,
        "When you are asked.",
    ),
    with_default(
        "server.skills",
        Kind::Switch,
        "true",
        Project::Tighten,
        "Whether `serve` and `mcp` offer skills at all.",
    ),
    with_default(
        "audit.keep",
        Kind::Count {
            least: 1,
            most: 10_000,
        },
        "16",
        Project::Never(MACHINE),
        "How many full files of the audit log are kept.",
    ),
    Entry {
        key: "locked",
        kind: Kind::Keys,
        default: None,
        project: Project::Never(TRUST),
        layers: Layers::OrgOnly,
        doc: "Keys, or tables of keys, that no other layer may set.",
    },
];

/// Spellings of other tools, and the keys they mean.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("skills.registry", "registry.url"),
    ("skills.sources.NAME.type", "sources.NAME.type"),
    ("skills.sources.NAME.url", "sources.NAME.url"),
    ("skills.sources.NAME.auth", "sources.NAME.auth"),
    ("skills.allow_scripts", "scripts.allow"),
    ("app.skills.enabled", "server.skills"),
    ("app.skills.directories", "discovery.directories"),
];

const fn entry(key: &'static str, kind: Kind, project: Project, doc: &'static str) -> Entry {
    Entry {
        key,
        kind,
        default: None,
        project,
        layers: Layers::Strongest,
        doc,
    }
}

const fn with_default(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    project: Project,
    doc: &'static str,
) -> Entry {
    Entry {
        key,
        kind,
        default: Some(default),
        project,
        layers: Layers::Strongest,
        doc,
    }
}

const fn together(key: &'static str, kind: Kind, project: Project, doc: &'static str) -> Entry {
    Entry {
        key,
        kind,
        default: None,
        project,
        layers: Layers::Together,
        doc,
    }
}

impl Entry {
    /// Whether the user chooses a part of the name.
    pub(crate) fn has_choice(&self) -> bool {
        self.key.split('.').any(is_placeholder)
    }
}

/// The value that every key has without any configuration, as written in TOML.
pub(crate) fn defaults() -> impl Iterator<Item = (String, &'static Entry, String)> {
    ENTRIES.iter().flat_map(|entry| {
        let mut found = Vec::new();
        if let Some(default) = entry.default.filter(|_| !entry.has_choice()) {
            found.push((entry.key.to_owned(), entry, default.to_owned()));
        }
        if let Some(cell) = entry.key.strip_prefix("trust.PROVENANCE.") {
            found.extend(PROVENANCES.iter().map(|row| {
                let value = match cell {
                    "tier" => row.tier,
                    "scripts" => row.scripts,
                    _ => row.ask,
                };
                (
                    format!("trust.{}.{cell}", row.name),
                    entry,
                    format!("\"{value}\""),
                )
            }));
        }
        found
    })
}

/// What a key turned out to be.
#[derive(Debug)]
pub(crate) enum Found {
    /// A key, under its own name.
    Key(String, &'static Entry),
    /// A table that holds keys.
    Table,
    /// A name in it may not be chosen, and why.
    BadName(String),
    /// Nothing known, and what may have been meant.
    Unknown(Option<String>),
}

/// Looks a key up, by its own name or another tool's.
pub(crate) fn find(key: &str) -> Found {
    let own = own_name(key);
    let mut bad_name = None;
    for entry in ENTRIES {
        if let Some(names) = matched(entry.key, &own) {
            match names
                .iter()
                .find_map(|(placeholder, name)| refused(placeholder, name))
            {
                None => return Found::Key(own, entry),
                Some(problem) => bad_name = Some(problem),
            }
        }
    }
    if let Some(problem) = bad_name {
        return Found::BadName(problem);
    }
    let patterns = ENTRIES.iter().map(|entry| entry.key);
    let spellings = ALIASES.iter().map(|(spelling, _)| *spelling);
    if patterns
        .chain(spellings)
        .any(|pattern| is_table_of(key, pattern))
    {
        return Found::Table;
    }
    Found::Unknown(meant(key))
}

/// The key's own name, if this is another tool's.
fn own_name(key: &str) -> String {
    let found = ALIASES.iter().find_map(|(spelling, own)| {
        let names = matched(spelling, key)?;
        let mut own = (*own).to_owned();
        for (placeholder, name) in names {
            own = own.replace(placeholder, name);
        }
        Some(own)
    });
    found.unwrap_or_else(|| key.to_owned())
}

/// All spellings of a key, its own name first.
pub(crate) fn spellings(own: &str) -> Vec<String> {
    let others = ALIASES.iter().filter_map(|(spelling, pattern)| {
        let names = matched(pattern, own)?;
        let mut spelling = (*spelling).to_owned();
        for (placeholder, name) in names {
            spelling = spelling.replace(placeholder, name);
        }
        Some(spelling)
    });
    std::iter::once(own.to_owned()).chain(others).collect()
}

/// The names that `key` puts in place of the capitals of `pattern`, if it fits.
fn matched<'a>(pattern: &'a str, key: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut names = Vec::new();
    let mut segments = key.split('.');
    for expected in pattern.split('.') {
        let segment = segments.next()?;
        if is_placeholder(expected) {
            names.push((expected, segment));
        } else if expected != segment {
            return None;
        }
    }
    segments.next().is_none().then_some(names)
}

fn is_table_of(key: &str, pattern: &str) -> bool {
    let mut expected = pattern.split('.');
    let fits = key.split('.').all(|segment| {
        expected
            .next()
            .is_some_and(|expected| expected == segment || is_placeholder(expected))
    });
    fits && expected.next().is_some()
}

fn is_placeholder(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Why a name may not stand there, if it may not.
fn refused(placeholder: &str, name: &str) -> Option<String> {
    if placeholder == "PROVENANCE" {
        let names: Vec<&str> = PROVENANCES.iter().map(|each| each.name).collect();
        if names.contains(&name) {
            return None;
        }
        let meant = nearest(name, names.iter().copied());
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Some(format!(
            "`{name}` is no provenance: it can be {}{meant}",
            names.join(", ")
        ));
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(is_plain)
        || name.starts_with(['-', '_'])
    {
        return Some(format!(
            "`{name}` is no name for a source: use lowercase letters, digits, `-` and `_`"
        ));
    }
    TAKEN.contains(&name).then(|| {
        format!(
            "no source may be called `{name}`: references with `{name}:` have a meaning already"
        )
    })
}

/// The known key that is nearest to this one.
fn meant(key: &str) -> Option<String> {
    let segments: Vec<&str> = key.split('.').collect();
    let candidates: Vec<String> = ENTRIES
        .iter()
        .map(|entry| {
            let parts = entry
                .key
                .split('.')
                .enumerate()
                .map(|(at, part)| match segments.get(at) {
                    Some(name) if is_placeholder(part) => name,
                    _ => part,
                });
            parts.collect::<Vec<_>>().join(".")
        })
        .collect();
    let near = nearest(key, candidates.iter().map(String::as_str)).map(str::to_owned);
    near.or_else(|| {
        // Only the last word was written, or it stands in another table.
        let last = segments.last()?;
        let mut same = candidates
            .iter()
            .filter(|each| each.rsplit('.').next() == Some(last));
        let only = same.next().filter(|each| !each.contains(is_upper));
        only.filter(|_| same.next().is_none()).cloned()
    })
}

fn is_upper(c: char) -> bool {
    c.is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, expected: &str) {
        let found = match find(key) {
            Found::Key(own, entry) => format!("{own} ({})", entry.key),
            Found::Table => "table".into(),
            Found::BadName(problem) => problem,
            Found::Unknown(meant) => format!("unknown, {meant:?}"),
        };
        assert_eq!(found, expected, "{key}");
    }

    #[test]
    fn keys_are_found() {
        check("registry.url", "registry.url (registry.url)");
        check(
            "sources.internal.url",
            "sources.internal.url (sources.NAME.url)",
        );
        check(
            "skills.sources.internal.auth",
            "sources.internal.auth (sources.NAME.auth)",
        );
        check("skills.allow_scripts", "scripts.allow (scripts.allow)");
        check("app.skills.enabled", "server.skills (server.skills)");
        for table in [
            "sources",
            "sources.x",
            "skills",
            "skills.sources",
            "app",
            "app.skills",
            "trust.git",
        ] {
            check(table, "table");
        }
    }

    #[test]
    fn what_was_meant_is_told() {
        check("registy.url", r#"unknown, Some("registry.url")"#);
        check(
            "sources.internal.uri",
            r#"unknown, Some("sources.internal.url")"#,
        );
        check("max_depth", r#"unknown, Some("discovery.max_depth")"#);
        check("nothing.like.this", "unknown, None");
        check("registry.url.more", "unknown, None");
        check("", "unknown, None");
    }

    #[test]
    fn names_that_may_not_be_chosen() {
        check(
            "sources.github.url",
            "no source may be called `github`: references with `github:` have a meaning already",
        );
        check(
            "sources.A b.url",
            "`A b` is no name for a source: use lowercase letters, digits, `-` and `_`",
        );
        let names: Vec<&str> = PROVENANCES.iter().map(|each| each.name).collect();
        let names = names.join(", ");
        check(
            "trust.gti.scripts",
            &format!("`gti` is no provenance: it can be {names}; did you mean `git`?"),
        );
    }

    #[test]
    fn the_table_is_sound() {
        for entry in ENTRIES {
            assert!(entry.doc.ends_with('.'), "{}", entry.key);
        }
        for (key, entry, default) in defaults() {
            entry.kind.read_toml(&default).expect(&key);
        }
        for (spelling, own) in ALIASES {
            assert!(ENTRIES.iter().any(|entry| entry.key == *own), "{own}");
            assert!(
                ENTRIES.iter().all(|entry| entry.key != *spelling),
                "{spelling}"
            );
        }
        assert_eq!(PRECEDENCE.len(), PRESETS.len());
    }

    /// A row of the table in the documentation.
    fn row(entry: &Entry) -> String {
        let project = match (entry.layers, entry.project) {
            (Layers::OrgOnly, _) => "only the organisation",
            (_, Project::Free) => "yes",
            (_, Project::Tighten) => "to tighten",
            (_, Project::Never(_)) => "no",
        };
        let default = match entry.default {
            Some(default) => format!("`{default}`"),
            None => String::new(),
        };
        format!(
            "| `{}` | {} | {default} | {project} | {} |",
            entry.key, entry.kind, entry.doc
        )
    }

    #[test]
    fn the_documentation_is_this_table() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
        let docs = std::fs::read_to_string(docs).unwrap_or_default();
        let keys = ENTRIES.iter().map(row);
        let variables = crate::environment::SETTINGS
            .iter()
            .map(|(variable, key)| format!("| `{variable}` | `{key}` |"));
        let spellings = ALIASES
            .iter()
            .map(|(spelling, key)| format!("| `{spelling}` | `{key}` |"));
        let trust = PROVENANCES.iter().map(|row| {
            format!(
                "| `{}` | {} | {} | {} |",
                row.name, row.tier, row.scripts, row.ask
            )
        });
        let rows: Vec<String> = keys
            .chain(variables)
            .chain(spellings)
            .chain(trust)
            .collect();
        let missing: Vec<&String> = rows
            .iter()
            .filter(|row| !docs.lines().any(|line| line == **row))
            .collect();
        assert!(
            missing.is_empty(),
            "docs/configuration.md lacks:\n{missing:#?}"
        );
        let tables = docs.lines().filter(|line| line.starts_with("| `"));
        assert_eq!(
            tables.count(),
            rows.len(),
            "docs/configuration.md has rows of its own"
        );
    }
}
