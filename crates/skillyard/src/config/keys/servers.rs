//! Keys about other servers and our own, about the log, and about keys.

use super::{MACHINE, PROGRAMS, SECRETS, TRUST, WORDS, entry, with_default};
use crate::config::kind::ValueKind;
use crate::config::schema::{KeySpec, Layers, Plain, Project};

pub(super) static ENTRIES: &[KeySpec] = &[
    entry(
        "mcp.servers.SERVER.command",
        ValueKind::Text,
        Project::Never(PROGRAMS),
        "The program of an MCP server, which agents can use as `mcp__SERVER__TOOL`.",
    ),
    entry(
        "mcp.servers.SERVER.args",
        ValueKind::Arguments,
        Project::Never(PROGRAMS),
        "What it is told; `${VARIABLE}` stands for the variable.",
    ),
    entry(
        "mcp.servers.SERVER.env.VARIABLE",
        ValueKind::Token,
        Project::Never(SECRETS),
        "A variable of its environment, which is empty but for a few.",
    ),
    entry(
        "mcp.servers.SERVER.pass",
        ValueKind::Names,
        Project::Never(SECRETS),
        "Variables of yours that it gets too.",
    ),
    entry(
        "mcp.servers.SERVER.folder",
        ValueKind::Text,
        Project::Never(PROGRAMS),
        "The folder it starts in: `.` is the current one, whatever lies there.",
    ),
    entry(
        "mcp.servers.SERVER.url",
        ValueKind::Url,
        Project::Never(WORDS),
        "Where the server is, if it is no program.",
    ),
    entry(
        "mcp.servers.SERVER.headers.HEADER",
        ValueKind::Token,
        Project::Never(SECRETS),
        "A header of every request to it.",
    ),
    entry(
        "mcp.servers.SERVER.tools",
        ValueKind::Names,
        Project::Never(TRUST),
        "If given, only these of its tools, by its own names.",
    ),
    with_default(
        "mcp.servers.SERVER.approval",
        ValueKind::Word(&["never", "ask"]),
        Plain::Text("ask"),
        Project::Tighten,
        "Whether you are asked before an agent calls one of its tools; over the gateway, where the client can ask.",
    ),
    with_default(
        "mcp.servers.SERVER.skills",
        ValueKind::Switch,
        Plain::Switch(true),
        Project::Tighten,
        "Whether the skills it publishes are offered, as `SERVER:SKILL`.",
    ),
    with_default(
        "mcp.servers.SERVER.timeout",
        ValueKind::Count {
            least: 1,
            most: 3_600,
        },
        Plain::Count(60),
        Project::Tighten,
        "How many seconds a call may take.",
    ),
    with_default(
        "mcp.gateway",
        ValueKind::Switch,
        Plain::Switch(false),
        Project::Tighten,
        "Whether `mcp` and `serve` offer the tools and skills of these servers too.",
    ),
    with_default(
        "mcp.run",
        ValueKind::Switch,
        Plain::Switch(false),
        Project::Tighten,
        "Whether agents of others may run scripts over MCP, as trust and consent say.",
    ),
    with_default(
        "server.skills",
        ValueKind::Switch,
        Plain::Switch(true),
        Project::Tighten,
        "Whether `serve` and `mcp` offer skills at all.",
    ),
    with_default(
        "server.registry",
        ValueKind::Switch,
        Plain::Switch(false),
        Project::Never(MACHINE),
        "Whether `serve` has this machine's registry below `/registry`.",
    ),
    with_default(
        "server.public_registry",
        ValueKind::Switch,
        Plain::Switch(false),
        Project::Never(MACHINE),
        "Whether everybody may read that registry where `serve` asks for tokens.",
    ),
    with_default(
        "server.log_format",
        ValueKind::Word(&["quiet", "text", "json"]),
        Plain::Text("quiet"),
        Project::Never(MACHINE),
        "What `serve` writes to stderr: only failures, a line a request, or an object a line.",
    ),
    with_default(
        "audit.keep",
        ValueKind::Count {
            least: 1,
            most: 10_000,
        },
        Plain::Count(16),
        Project::Never(MACHINE),
        "How many full files of the audit log are kept.",
    ),
    KeySpec {
        key: "locked",
        kind: ValueKind::Keys,
        default: None,
        project: Project::Never(TRUST),
        layers: Layers::OrgOnly,
        doc: "Keys, or tables of keys, that no other layer may set.",
    },
];
