//! Keys about models, and about what agents remember and tell.

use super::{SECRETS, WORDS, entry, with_default};
use crate::config::kind::ValueKind;
use crate::config::schema::{KeySpec, Plain, Project};

pub(super) static ENTRIES: &[KeySpec] = &[
    with_default(
        "agents.activation",
        ValueKind::Word(&["tool", "router", "hybrid"]),
        Plain::Text("tool"),
        Project::Free,
        "Who picks a skill for a task: the model with a tool, a router before it, or both.",
    ),
    entry(
        "agents.router_model",
        ValueKind::Text,
        Project::Never(WORDS),
        "The model that picks skills for `router` and `hybrid`, as `SERVER/NAME`, or `offline`; without it, the agent's own.",
    ),
    with_default(
        "agents.routed_skills",
        ValueKind::Count { least: 1, most: 20 },
        Plain::Count(1),
        Project::Tighten,
        "Most skills that a router picks for one message.",
    ),
    with_default(
        "agents.model",
        ValueKind::Text,
        Plain::Text("offline"),
        Project::Never(WORDS),
        "The model of `chat`, as `SERVER/NAME`; `offline` needs none.",
    ),
    with_default(
        "models.SERVER.api",
        ValueKind::Word(&["anthropic", "openai", "openai-chat"]),
        Plain::Text("openai-chat"),
        Project::Never(WORDS),
        "What the server speaks: Messages, Responses or Chat Completions.",
    ),
    entry(
        "models.SERVER.url",
        ValueKind::Url,
        Project::Never(WORDS),
        "Where it is; `anthropic`, `openai` and `ollama` are known.",
    ),
    entry(
        "models.SERVER.key",
        ValueKind::Token,
        Project::Never(SECRETS),
        "Its key; without one `ANTHROPIC_API_KEY` and `OPENAI_API_KEY` are tried.",
    ),
    with_default(
        "models.SERVER.tool_mode",
        ValueKind::Word(&["auto", "native", "json_schema", "text"]),
        Plain::Text("auto"),
        Project::Never(WORDS),
        "How its models call tools; `auto` asks once and remembers.",
    ),
    entry(
        "models.SERVER.context",
        ValueKind::Count {
            least: 1_000,
            most: 100_000_000,
        },
        Project::Never(WORDS),
        "Tokens that its models take at once; 200,000 are assumed. The catalog gets 2% of them.",
    ),
    with_default(
        "models.SERVER.silence",
        ValueKind::Count {
            least: 1,
            most: 7_200,
        },
        Plain::Count(300),
        Project::Never(WORDS),
        "Seconds for which it may say nothing, before its answer and in the middle; then the turn fails.",
    ),
    entry(
        "sessions.database",
        ValueKind::Database,
        Project::Never(WORDS),
        "A PostgreSQL that several machines keep their sessions in; without it they are in a file.",
    ),
    entry(
        "telemetry.endpoint",
        ValueKind::Url,
        Project::Never(WORDS),
        "Where traces go, as OTLP over HTTP: `/v1/traces` is put behind it.",
    ),
    entry(
        "telemetry.headers.HEADER",
        ValueKind::Token,
        Project::Never(SECRETS),
        "A header that traces are sent with, such as a key.",
    ),
];
