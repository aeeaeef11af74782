//! Keys about what scripts and tools may do, and whom to trust.

use super::{entry, together, with_default};
use crate::config::kind::Kind;
use crate::config::schema::{Entry, Plain, Project};

pub(super) static ENTRIES: &[Entry] = &[
    with_default(
        "scripts.allow",
        Kind::Switch,
        Plain::Switch(false),
        Project::Tighten,
        "Answer yes when a skill's script is to run for the first time. Never lifts a block.",
    ),
    with_default(
        "sandbox.timeout",
        Kind::Count {
            least: 1,
            most: 86_399,
        },
        Plain::Count(60),
        Project::Tighten,
        "How many seconds a script may take, or a command of an agent.",
    ),
    with_default(
        "sandbox.memory",
        Kind::Count {
            least: 16,
            most: 1_048_576,
        },
        Plain::Count(1024),
        Project::Tighten,
        "How many megabytes of memory it may use.",
    ),
    with_default(
        "sandbox.processes",
        Kind::Count {
            least: 1,
            most: 65_536,
        },
        Plain::Count(128),
        Project::Tighten,
        "How many processes and threads it may have at once.",
    ),
    with_default(
        "sandbox.output",
        Kind::Count {
            least: 1,
            most: 1_048_576,
        },
        Plain::Count(1024),
        Project::Tighten,
        "How many kilobytes of what it writes are kept, for stdout and stderr each.",
    ),
    entry(
        "sandbox.commands",
        Kind::Names,
        Project::Tighten,
        "If given, the only programs in the system's usual folders that scripts of skills may start.",
    ),
    together(
        "tools.deny",
        Kind::Names,
        Project::Free,
        "Tools that are denied, whatever skills allow; no layer takes it back.",
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
        Kind::Question(&[
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
