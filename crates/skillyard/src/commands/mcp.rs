//! `skillyard mcp`.

use std::sync::Arc;

use clap::ValueEnum;
use serde_json::json;
use skillyard_server::{Access, Server, Settings, serve_stdio};

use super::Outcome;
use super::serve::runtime;
use crate::context::Context;
use crate::error::serve::ServeFailure;
use crate::error::{CommandError, Status};
use crate::serving::Machine;

/// Offer the skills that are here to an agent over MCP
///
/// It speaks on standard input and output. Agents start it themselves; `--setup` prints how to
/// tell them. `skillyard serve` has the same at `/mcp`.
///
/// Examples:
///   skillyard mcp --setup claude-code   the line that adds it to Claude Code
///   skillyard mcp                       what the agent then runs
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print how a client is told, and end
    #[arg(long, value_name = "CLIENT", value_enum)]
    setup: Option<Client>,
}

/// A client that speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
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
                Some("Write this into `opencode.json`"),
            ),
            Self::VsCode => (
                r#"code --add-mcp '{"name":"skillyard","command":"skillyard","args":["mcp"]}'"#,
                None,
            ),
        }
    }
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    if let Some(client) = args.setup {
        return setup(context, client);
    }
    let settings = Settings {
        access: Access::Loopback,
        version: env!("CARGO_PKG_VERSION"),
        agents: None,
        registry: None,
    };
    let server =
        Server::new(Arc::new(Machine::new(context)?), settings).map_err(ServeFailure::Host)?;
    let watch = server.watch().map_err(CommandError::Watch)?;
    let outcome = runtime()?.block_on(serve_stdio(server));
    drop(watch);
    outcome.map_err(ServeFailure::Mcp)?;
    Ok(Status::Yes)
}

fn setup(context: &Context, client: Client) -> Outcome {
    let (line, note) = client.setup();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "setup": line, "note": note }))?;
        return Ok(Status::Yes);
    }
    context.printer.data(&format!("{line}\n"))?;
    context.printer.note(note.unwrap_or("Run this line"));
    Ok(Status::Yes)
}
