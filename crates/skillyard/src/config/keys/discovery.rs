//! Keys about where skills are looked for, which of them count, and how much of one is read.

use super::{SOURCES, TRUST, entry, together, with_default};
use crate::config::kind::ValueKind;
use crate::config::schema::{KeySpec, Plain, Project};

pub(super) static ENTRIES: &[KeySpec] = &[
    entry(
        "discovery.directories",
        ValueKind::Paths,
        Project::Never(SOURCES),
        "Further folders to look for skills in, in order; a relative one is the project's, at its root.",
    ),
    with_default(
        "discovery.precedence",
        ValueKind::Order,
        Plain::Text("default"),
        Project::Never(SOURCES),
        "The order of sources, by its name, or the kinds of sources in an order of your own.",
    ),
    with_default(
        "discovery.trust_projects",
        ValueKind::Word(&["always", "ask", "never"]),
        Plain::Text("ask"),
        Project::Never(TRUST),
        "Whether the skills of a project may be used before `skillyard trust`.",
    ),
    with_default(
        "discovery.max_depth",
        ValueKind::Count { least: 1, most: 64 },
        Plain::Count(6),
        Project::Tighten,
        "How many folders deep skills are looked for.",
    ),
    with_default(
        "discovery.max_folders",
        ValueKind::Count {
            least: 1,
            most: 1_000_000,
        },
        Plain::Count(2000),
        Project::Tighten,
        "How many folders of a source are looked into.",
    ),
    together(
        "skills.enabled",
        ValueKind::Globs,
        Project::Never("it would switch on what you have switched off"),
        "Skills that are switched on, whatever a weaker layer says.",
    ),
    together(
        "skills.disabled",
        ValueKind::Globs,
        Project::Free,
        "Skills that are switched off.",
    ),
    together(
        "skills.allow",
        ValueKind::Globs,
        Project::Free,
        "If not empty, only these skills.",
    ),
    together(
        "skills.deny",
        ValueKind::Globs,
        Project::Free,
        "Never these skills, in whatever case; no layer takes it back.",
    ),
    together(
        "org",
        ValueKind::OrgFolders,
        Project::Never(SOURCES),
        "Folders of the organisation: `[[org]]` with `path` and `pinned`.",
    ),
    with_default(
        "limits.max_skills",
        ValueKind::Count {
            least: 1,
            most: 100_000,
        },
        Plain::Count(200),
        Project::Tighten,
        "Most skills of one prompt.",
    ),
    with_default(
        "limits.max_skill_md_bytes",
        ValueKind::Count {
            least: 1,
            most: 10_485_760,
        },
        Plain::Count(200_000),
        Project::Tighten,
        "Most bytes of a `SKILL.md` that a model gets at once.",
    ),
    with_default(
        "limits.max_resource_bytes",
        ValueKind::Count {
            least: 1,
            most: 1_000_000_000,
        },
        Plain::Count(2_000_000),
        Project::Tighten,
        "Most bytes of a resource that are read at once.",
    ),
    with_default(
        "limits.max_files",
        ValueKind::Count {
            least: 1,
            most: 20_000,
        },
        Plain::Count(512),
        Project::Tighten,
        "Most files of a skill that is installed.",
    ),
    with_default(
        "limits.max_bytes",
        ValueKind::Count {
            least: 1,
            most: 1_073_741_824,
        },
        Plain::Count(16_777_216),
        Project::Tighten,
        "Most bytes that the files of a skill that is installed have together.",
    ),
    with_default(
        "resources.nested",
        ValueKind::Switch,
        Plain::Switch(true),
        Project::Tighten,
        "Whether resources may lie deeper than one folder below the skill.",
    ),
];
