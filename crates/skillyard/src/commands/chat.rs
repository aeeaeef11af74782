//! `skillyard chat`.

mod start;
mod told;

use std::io::{self, Read as _};
use std::path::PathBuf;

use skillyard_agent::Runtime;
use skillyard_agent::front_end::EndReason;
use skillyard_agent::session::Session;

pub(crate) use start::configured;
use start::start;
pub(super) use told::{failed, kept, status, tell};

use super::{Outcome, chat_export, chat_sessions, chat_talk};
use crate::agent::{Collected, Output, Signals, Terminal, Told};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::Choice;
use crate::terminal::{LONGEST, Lines};

/// Talk to a model that uses skills
///
/// Without an agent, the model is `agents.model` of the configuration and all enabled skills are
/// offered. `offline` needs no model and no key: it shows what a model would be given. `/name`
/// activates a skill, with whatever stands behind it as arguments; `$name` does so anywhere.
/// Commands, changes and scripts are asked about, except scripts that trust lets run, such as
/// those of your own skills; without a terminal the answer is no.
/// `--resume` goes on with a session, also with another `--model`.
///
/// Examples:
///   skillyard chat
///   skillyard chat -p "/skill-authoring how do I begin?"
///   skillyard chat reviewer -p "Look at src/" --output-format stream-json
///   skillyard chat --model anthropic/claude-sonnet-4-5   with `ANTHROPIC_API_KEY` set
///   skillyard chat --resume last
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// An agent made with `skillyard agent create`
    agent: Option<String>,
    /// Say this, print the answer and end; `-` reads it from stdin
    #[arg(long, short, value_name = "PROMPT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// How the answer is written [default: text, or json with --json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    output_format: Option<Output>,
    /// Go on with a session: its name, or `last`; choose without one
    #[arg(
        long,
        value_name = "SESSION",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with = "agent"
    )]
    resume: Option<String>,
    /// Go on in a copy of the session
    #[arg(long, requires = "resume")]
    fork: bool,
    /// List the sessions
    #[arg(long, conflicts_with_all = ["prompt", "resume", "agent"])]
    sessions: bool,
    /// Print a session: Markdown, or everything in it with `--json`
    #[arg(long, value_name = "SESSION", hide_short_help = true, conflicts_with_all = ["prompt", "resume", "agent", "sessions"])]
    export: Option<String>,
    /// Delete a session; the audit log keeps what was done in it
    #[arg(long, value_name = "SESSION", hide_short_help = true, conflicts_with_all = ["prompt", "resume", "agent", "sessions", "export"])]
    delete: Option<String>,
    /// Copy the sessions of the file into `sessions.database`, which machines share
    #[arg(long, hide_short_help = true, conflicts_with_all = ["prompt", "resume", "agent", "sessions", "export", "delete"])]
    copy_sessions: bool,
    /// An MCP server that lends tools and skills (may be repeated)
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    mcp: Vec<String>,
    /// The model: anthropic/…, openai/…, ollama/… or `SERVER/NAME`
    #[arg(long)]
    model: Option<String>,
    /// Who picks skills: tool, router or hybrid
    #[arg(long, value_name = "STRATEGY", conflicts_with = "resume")]
    strategy: Option<String>,
    /// How the model calls tools: auto, native, json-schema or text
    #[arg(long, value_name = "MODE", conflicts_with = "resume")]
    tool_mode: Option<String>,
    /// The folder that it works in; the current one without it
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Run scripts of skills without asking, where they are not blocked
    #[arg(long)]
    allow_scripts: bool,
    /// Answer every question with yes, once
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    choice: Choice,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    if args.sessions {
        return chat_sessions::list(context);
    }
    if let Some(name) = &args.export {
        return chat_export::export(context, name);
    }
    if let Some(name) = &args.delete {
        return chat_sessions::delete(context, name);
    }
    if args.copy_sessions {
        return chat_sessions::copy(context);
    }
    let printer = &context.printer;
    let output = match (args.output_format, printer.is_json()) {
        (Some(output), _) => output,
        (None, true) => Output::Json,
        (None, false) => Output::Text,
    };
    let mut session = None;
    match talk(context, args, output, &mut session) {
        Err(error) if output != Output::Text => Ok(failed(context, output, session, &error, None)),
        outcome => outcome,
    }
}

/// Talks; `name` becomes the session's name once there is something to go on with.
fn talk(context: &Context, args: &Args, output: Output, name: &mut Option<String>) -> Outcome {
    let prompt = args.prompt.as_deref().map(said).transpose()?;
    let lines = if prompt.is_some() {
        None
    } else {
        let history = context.environment.history_file();
        Some(Lines::open(&history, context.printer.styles_terminal())?)
    };
    let signals = Signals::hear(context.printer.heard());
    let cancel = signals.stop();
    let (mut runtime, mut session) = start(context, args, &cancel)?;
    let mut front = Terminal {
        context,
        output,
        told: if args.yes { Told::Yes } else { Told::Ask },
        cancel,
        signals,
        collected: Collected::new(context.printer.width()),
    };
    let outcome = if let Some(lines) = lines {
        chat_talk::converse(&mut runtime, &mut session, lines, &mut front)
    } else {
        let prompt = prompt.unwrap_or_default();
        once(&mut runtime, &mut session, &prompt, &mut front)
    };
    *name = kept(&session);
    outcome
}

/// The prompt, from stdin where it says so.
fn said(prompt: &str) -> Result<String, CommandError> {
    if prompt != "-" {
        return Ok(prompt.to_owned());
    }
    let mut bytes = Vec::new();
    let read = io::stdin()
        .lock()
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > LONGEST {
        return Err(AgentFailure::LongPrompt.into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn once(
    runtime: &mut Runtime,
    session: &mut Session,
    prompt: &str,
    front: &mut Terminal<'_>,
) -> Outcome {
    if prompt.trim().is_empty() {
        return Err(AgentFailure::NoPrompt.into());
    }
    front.signals.begin();
    let end = runtime.turn(session, prompt, front)?;
    tell(session, &end, front)?;
    // Where we are to end, nobody may have read all of it.
    let reason = if front.signals.ends() {
        EndReason::Cancelled
    } else {
        end.reason
    };
    Ok(status(reason))
}
