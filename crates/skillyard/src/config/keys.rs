//! The table of all keys, as data: one part for each thing that keys are about.

mod agents;
mod discovery;
mod servers;
mod sources;

use super::schema::{Layers, Plain, Project};
use crate::config::kind::ValueKind;
use crate::config::schema::KeySpec;

const SOURCES: &str = "it decides where skills come from";
const TRUST: &str = "it decides what is trusted";
const SECRETS: &str = "your tokens would be sent there";
const WORDS: &str = "your words would be sent there";
const PROGRAMS: &str = "it decides which programs run";
const MACHINE: &str = "it is about this machine, not about the project";

/// All keys, in the order of the documentation.
pub(crate) fn entries() -> impl Iterator<Item = &'static KeySpec> + Clone {
    let parts = [
        discovery::ENTRIES,
        agents::ENTRIES,
        sources::ENTRIES,
        ENTRIES,
        servers::ENTRIES,
    ];
    parts.into_iter().flatten()
}

const fn entry(key: &'static str, kind: ValueKind, project: Project, doc: &'static str) -> KeySpec {
    KeySpec {
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
    kind: ValueKind,
    default: Plain,
    project: Project,
    doc: &'static str,
) -> KeySpec {
    KeySpec {
        key,
        kind,
        default: Some(default),
        project,
        layers: Layers::Strongest,
        doc,
    }
}

const fn together(
    key: &'static str,
    kind: ValueKind,
    project: Project,
    doc: &'static str,
) -> KeySpec {
    KeySpec {
        key,
        kind,
        default: None,
        project,
        layers: Layers::Together,
        doc,
    }
}

static ENTRIES: &[KeySpec] = &[
    with_default(
        "scripts.allow",
        ValueKind::Switch,
        Plain::Switch(false),
        Project::Tighten,
        "Answer yes when a skill's script is to run for the first time. Never lifts a block.",
    ),
    with_default(
        "sandbox.timeout",
        ValueKind::Count {
            least: 1,
            most: 86_399,
        },
        Plain::Count(60),
        Project::Tighten,
        "How many seconds a script may take, or a command of an agent.",
    ),
    with_default(
        "sandbox.memory",
        ValueKind::Count {
            least: 16,
            most: 1_048_576,
        },
        Plain::Count(1024),
        Project::Tighten,
        "How many megabytes of memory it may use.",
    ),
    with_default(
        "sandbox.processes",
        ValueKind::Count {
            least: 1,
            most: 65_536,
        },
        Plain::Count(128),
        Project::Tighten,
        "How many processes and threads it may have at once.",
    ),
    with_default(
        "sandbox.output",
        ValueKind::Count {
            least: 1,
            most: 1_048_576,
        },
        Plain::Count(1024),
        Project::Tighten,
        "How many kilobytes of what it writes are kept, for stdout and stderr each.",
    ),
    entry(
        "sandbox.commands",
        ValueKind::Names,
        Project::Tighten,
        "If given, the only programs in the system's usual folders that scripts of skills may start.",
    ),
    together(
        "tools.deny",
        ValueKind::Names,
        Project::Free,
        "Tools that are denied, whatever skills allow; no layer takes it back.",
    ),
    entry(
        "trust.PROVENANCE.tier",
        ValueKind::Word(&["high", "medium", "low", "untrusted"]),
        Project::Tighten,
        "How far skills of this provenance are trusted.",
    ),
    entry(
        "trust.PROVENANCE.scripts",
        ValueKind::Word(&["sandboxed", "sandboxed-offline", "blocked"]),
        Project::Tighten,
        "What their scripts may do.",
    ),
    entry(
        "trust.PROVENANCE.ask",
        ValueKind::Question(&[
            "never",
            "first-run",
            "install",
            "install-and-first-run",
            "opt-in",
        ]),
        Project::Tighten,
        "When you are asked.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ALIASES;
    use crate::config::PROVENANCES;
    use crate::config::schema::defaults;

    #[test]
    fn the_table_is_sound() {
        for entry in entries() {
            assert!(entry.doc.ends_with('.'), "{}", entry.key);
        }
        for (key, entry, default) in defaults() {
            entry.kind.read_plain(default).expect(&key);
        }
        for (spelling, own) in ALIASES {
            assert!(entries().any(|entry| entry.key == *own), "{own}");
            assert!(entries().all(|entry| entry.key != *spelling), "{spelling}");
        }
    }

    /// A row of the table in the documentation.
    fn row(entry: &KeySpec) -> String {
        let project = match (entry.layers, entry.project) {
            (Layers::OrgOnly, _) => "only the organisation",
            (_, Project::Free) => "yes",
            (_, Project::Tighten) => "to tighten",
            (_, Project::Never(_)) => "no",
        };
        let default = entry.default.map_or_else(String::new, |default| {
            format!("`{}`", entry.kind.read_plain(default).unwrap())
        });
        format!(
            "| `{}` | {} | {default} | {project} | {} |",
            entry.key, entry.kind, entry.doc
        )
    }

    #[test]
    fn the_documentation_is_this_table() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
        let docs = std::fs::read_to_string(docs).unwrap_or_default();
        let keys = entries().map(row);
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
