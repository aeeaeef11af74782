//! `skillyard mcp --setup`.

use clap::ValueEnum;
use serde_json::json;

use super::Outcome;
use crate::context::Context;
use crate::error::Status;

/// A client that speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    #[value(name = "vscode")]
    VsCode,
}

impl Client {
    /// What to run, or where to write what.
    fn setup(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::ClaudeCode => (
                "claude mcp add --scope user skillyard -- skillyard mcp",
                None,
            ),
            Self::Codex => ("codex mcp add skillyard -- skillyard mcp", None),
            Self::Gemini => ("gemini mcp add --scope user skillyard skillyard mcp", None),
            Self::Opencode => (
                r#"{ "mcp": { "skillyard": { "type": "local", "command": ["skillyard", "mcp"] } } }"#,
                Some("Write this into `opencode.json`:"),
            ),
            Self::VsCode => (
                r#"code --add-mcp '{"name":"skillyard","command":"skillyard","args":["mcp"]}'"#,
                None,
            ),
        }
    }
}

pub(super) fn run(context: &Context, client: Client) -> Outcome {
    let (line, note) = client.setup();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "setup": line, "note": note }))?;
        return Ok(Status::Yes);
    }
    context.printer.note(note.unwrap_or("Run this line:"));
    context.printer.data(&format!("{line}\n"))?;
    Ok(Status::Yes)
}
