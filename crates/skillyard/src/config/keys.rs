//! The table of all keys, as data.

use super::kind::Kind;
use super::schema::{Entry, Layers, Plain, Project};

const SOURCES: &str = "it decides where skills come from";
const TRUST: &str = "it decides what is trusted";
const SECRETS: &str = "your tokens would be sent there";
const WORDS: &str = "your words would be sent there";
const PROGRAMS: &str = "it decides which programs run";
const MACHINE: &str = "it is about this machine, not about the project";

/// The table, in the order of the documentation.
pub(crate) static ENTRIES: &[Entry] = &[
    entry(
        "discovery.directories",
        Kind::Paths,
        Project::Never(SOURCES),
        "Further folders to look for skills in, in order; a relative one is the project's, at its root.",
    ),
    with_default(
        "discovery.precedence",
        Kind::Order,
        Plain::Text("default"),
        Project::Never(SOURCES),
        "The order of sources, by its name, or the kinds of sources in an order of your own.",
    ),
    with_default(
        "discovery.trust_projects",
        Kind::Word(&["always", "ask", "never"]),
        Plain::Text("ask"),
        Project::Never(TRUST),
        "Whether the skills of a project may be used before `skillyard trust`.",
    ),
    with_default(
        "discovery.max_depth",
        Kind::Count { least: 1, most: 64 },
        Plain::Count(6),
        Project::Tighten,
        "How many folders deep skills are looked for.",
    ),
    with_default(
        "discovery.max_folders",
        Kind::Count {
            least: 1,
            most: 1_000_000,
        },
        Plain::Count(2000),
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
        "Never these skills, in whatever case; no layer takes it back.",
    ),
    together(
        "org",
        Kind::OrgFolders,
        Project::Never(SOURCES),
        "Folders of the organisation: `[[org]]` with `path` and `pinned`.",
    ),
    with_default(
        "limits.max_skills",
        Kind::Count {
            least: 1,
            most: 100_000,
        },
        Plain::Count(200),
        Project::Tighten,
        "Most skills of one prompt.",
    ),
    with_default(
        "limits.max_skill_md_bytes",
        Kind::Count {
            least: 1,
            most: 10_485_760,
        },
        Plain::Count(200_000),
        Project::Tighten,
        "Most bytes of a `SKILL.md` that a model gets at once.",
    ),
    with_default(
        "limits.max_resource_bytes",
        Kind::Count {
            least: 1,
            most: 1_000_000_000,
        },
        Plain::Count(2_000_000),
        Project::Tighten,
        "Most bytes of a resource that are read at once.",
    ),
    with_default(
        "limits.max_files",
        Kind::Count {
            least: 1,
            most: 20_000,
        },
        Plain::Count(512),
        Project::Tighten,
        "Most files of a skill that is installed.",
    ),
    with_default(
        "limits.max_bytes",
        Kind::Count {
            least: 1,
            most: 1_073_741_824,
        },
        Plain::Count(16_777_216),
        Project::Tighten,
        "Most bytes that the files of a skill that is installed have together.",
    ),
    with_default(
        "resources.nested",
        Kind::Switch,
        Plain::Switch(true),
        Project::Tighten,
        "Whether resources may lie deeper than one folder below the skill.",
    ),
    with_default(
        "agents.activation",
        Kind::Word(&["tool", "router", "hybrid"]),
        Plain::Text("tool"),
        Project::Free,
        "Who picks a skill for a task: the model with a tool, a router before it, or both.",
    ),
    entry(
        "agents.router_model",
        Kind::Text,
        Project::Never(WORDS),
        "The model that picks skills for `router` and `hybrid`, as `SERVER/NAME`, or `offline`; without it, the agent's own.",
    ),
    with_default(
        "agents.routed_skills",
        Kind::Count { least: 1, most: 20 },
        Plain::Count(1),
        Project::Tighten,
        "Most skills that a router picks for one message.",
    ),
    with_default(
        "agents.model",
        Kind::Text,
        Plain::Text("offline"),
        Project::Never(WORDS),
        "The model of `chat`, as `SERVER/NAME`; `offline` needs none.",
    ),
    with_default(
        "models.SERVER.api",
        Kind::Word(&["anthropic", "openai", "openai-chat"]),
        Plain::Text("openai-chat"),
        Project::Never(WORDS),
        "What the server speaks: Messages, Responses or Chat Completions.",
    ),
    entry(
        "models.SERVER.url",
        Kind::Url,
        Project::Never(WORDS),
        "Where it is; `anthropic`, `openai` and `ollama` are known.",
    ),
    entry(
        "models.SERVER.key",
        Kind::Token,
        Project::Never(SECRETS),
        "Its key; without one `ANTHROPIC_API_KEY` and `OPENAI_API_KEY` are tried.",
    ),
    with_default(
        "models.SERVER.tool_mode",
        Kind::Word(&["auto", "native", "json_schema", "text"]),
        Plain::Text("auto"),
        Project::Never(WORDS),
        "How its models call tools; `auto` asks once and remembers.",
    ),
    entry(
        "models.SERVER.context",
        Kind::Count {
            least: 1_000,
            most: 100_000_000,
        },
        Project::Never(WORDS),
        "Tokens that its models take at once; 200,000 are assumed. The catalog gets 2% of them.",
    ),
    with_default(
        "models.SERVER.silence",
        Kind::Count {
            least: 1,
            most: 7_200,
        },
        Plain::Count(300),
        Project::Never(WORDS),
        "Seconds for which it may say nothing, before its answer and in the middle; then the turn fails.",
    ),
    entry(
        "sessions.database",
        Kind::Database,
        Project::Never(WORDS),
        "A PostgreSQL that several machines keep their sessions in; without it they are in a file.",
    ),
    entry(
        "telemetry.endpoint",
        Kind::Url,
        Project::Never(WORDS),
        "Where traces go, as OTLP over HTTP: `/v1/traces` is put behind it.",
    ),
    entry(
        "telemetry.headers.HEADER",
        Kind::Token,
        Project::Never(SECRETS),
        "A header that traces are sent with, such as a key.",
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
        Plain::Text("registry"),
        Project::Never(SOURCES),
        "What kind of source it is, unless its URL shows it.",
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
        Plain::Text("https://github.com"),
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
        Plain::Text("https://gitlab.com"),
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
    entry(
        "install.scope",
        Kind::Word(&["user", "project"]),
        Project::Never(MACHINE),
        "Where `install` puts skills; without it the project, where there is one.",
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
        Plain::Switch(false),
        Project::Free,
        "Link into the store instead of copying.",
    ),
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
    entry(
        "mcp.servers.SERVER.command",
        Kind::Text,
        Project::Never(PROGRAMS),
        "The program of an MCP server, which agents can use as `mcp__SERVER__TOOL`.",
    ),
    entry(
        "mcp.servers.SERVER.args",
        Kind::Arguments,
        Project::Never(PROGRAMS),
        "What it is told; `${VARIABLE}` stands for the variable.",
    ),
    entry(
        "mcp.servers.SERVER.env.VARIABLE",
        Kind::Token,
        Project::Never(SECRETS),
        "A variable of its environment, which is empty but for a few.",
    ),
    entry(
        "mcp.servers.SERVER.pass",
        Kind::Names,
        Project::Never(SECRETS),
        "Variables of yours that it gets too.",
    ),
    entry(
        "mcp.servers.SERVER.folder",
        Kind::Text,
        Project::Never(PROGRAMS),
        "The folder it starts in: `.` is the current one, whatever lies there.",
    ),
    entry(
        "mcp.servers.SERVER.url",
        Kind::Url,
        Project::Never(WORDS),
        "Where the server is, if it is no program.",
    ),
    entry(
        "mcp.servers.SERVER.headers.HEADER",
        Kind::Token,
        Project::Never(SECRETS),
        "A header of every request to it.",
    ),
    entry(
        "mcp.servers.SERVER.tools",
        Kind::Names,
        Project::Never(TRUST),
        "If given, only these of its tools, by its own names.",
    ),
    with_default(
        "mcp.servers.SERVER.approval",
        Kind::Word(&["never", "ask"]),
        Plain::Text("ask"),
        Project::Tighten,
        "Whether you are asked before an agent calls one of its tools; over the gateway, where the client can ask.",
    ),
    with_default(
        "mcp.servers.SERVER.skills",
        Kind::Switch,
        Plain::Switch(true),
        Project::Tighten,
        "Whether the skills it publishes are offered, as `SERVER:SKILL`.",
    ),
    with_default(
        "mcp.servers.SERVER.timeout",
        Kind::Count {
            least: 1,
            most: 3_600,
        },
        Plain::Count(60),
        Project::Tighten,
        "How many seconds a call may take.",
    ),
    with_default(
        "mcp.gateway",
        Kind::Switch,
        Plain::Switch(false),
        Project::Tighten,
        "Whether `mcp` and `serve` offer the tools and skills of these servers too.",
    ),
    with_default(
        "mcp.run",
        Kind::Switch,
        Plain::Switch(false),
        Project::Tighten,
        "Whether agents of others may run scripts over MCP, as trust and consent say.",
    ),
    with_default(
        "server.skills",
        Kind::Switch,
        Plain::Switch(true),
        Project::Tighten,
        "Whether `serve` and `mcp` offer skills at all.",
    ),
    with_default(
        "server.registry",
        Kind::Switch,
        Plain::Switch(false),
        Project::Never(MACHINE),
        "Whether `serve` has this machine's registry below `/registry`.",
    ),
    with_default(
        "server.public_registry",
        Kind::Switch,
        Plain::Switch(false),
        Project::Never(MACHINE),
        "Whether everybody may read that registry where `serve` asks for tokens.",
    ),
    with_default(
        "server.log_format",
        Kind::Word(&["quiet", "text", "json"]),
        Plain::Text("quiet"),
        Project::Never(MACHINE),
        "What `serve` writes to stderr: only failures, a line a request, or an object a line.",
    ),
    with_default(
        "audit.keep",
        Kind::Count {
            least: 1,
            most: 10_000,
        },
        Plain::Count(16),
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
    default: Plain,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::provenances::PROVENANCES;
    use crate::config::schema::defaults;
    use crate::config::spelling::ALIASES;

    #[test]
    fn the_table_is_sound() {
        for entry in ENTRIES {
            assert!(entry.doc.ends_with('.'), "{}", entry.key);
        }
        for (key, entry, default) in defaults() {
            entry.kind.read_plain(default).expect(&key);
        }
        for (spelling, own) in ALIASES {
            assert!(ENTRIES.iter().any(|entry| entry.key == *own), "{own}");
            assert!(
                ENTRIES.iter().all(|entry| entry.key != *spelling),
                "{spelling}"
            );
        }
    }

    /// A row of the table in the documentation.
    fn row(entry: &Entry) -> String {
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
