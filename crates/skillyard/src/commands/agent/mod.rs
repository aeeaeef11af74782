//! `skillyard agent`: one file a verb.

use skillyard_agent::session::AgentVersion;
use skillyard_agent::settings::{Settings, Strategy, ToolMode};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;

/// The settings, the skills and the version of an agent.
pub(crate) fn resolved(
    _context: &Context,
    name: &str,
) -> Result<(Settings, Vec<String>, AgentVersion), CommandError> {
    Err(AgentFailure::Word { value: name.to_owned(), what: "agent", known: "" }.into())
}

/// A strategy by its name.
pub(crate) fn strategy(value: &str) -> Result<Strategy, CommandError> {
    match value {
        "tool" => Ok(Strategy::Tool),
        "router" => Ok(Strategy::Router),
        "hybrid" => Ok(Strategy::Hybrid),
        _ => Err(unknown(value, "strategy", "`tool`, `router` and `hybrid`")),
    }
}

/// A tool mode by its name.
pub(crate) fn tool_mode(value: &str) -> Result<ToolMode, CommandError> {
    match value {
        "native" => Ok(ToolMode::Native),
        "json-schema" | "json_schema" => Ok(ToolMode::JsonSchema),
        "text" => Ok(ToolMode::Text),
        _ => Err(unknown(value, "tool mode", "`native`, `json-schema` and `text`")),
    }
}

fn unknown(value: &str, what: &'static str, known: &'static str) -> CommandError {
    AgentFailure::Word {
        value: value.to_owned(),
        what,
        known,
    }
    .into()
}
