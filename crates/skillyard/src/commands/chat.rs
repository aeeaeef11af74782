//! `skillyard chat`.

pub(crate) mod conversation;
pub(crate) mod export;
pub(crate) mod sessions;
mod start;

use std::io::{self, Read as _};
use std::path::PathBuf;

use serde_json::json;
use skillyard_agent::front_end::EndReason;
use skillyard_agent::session::Session;
use skillyard_agent::{Runtime, TurnEnd};

use start::start;

use crate::agent::{Collected, Output, QuestionReply, Signals, Terminal};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::error_report::report_as;
use crate::library::NameFilter;
use crate::terminal::{Lines, MAX_LINE_BYTES};

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
pub(crate) struct ChatArgs {
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
    choice: NameFilter,
}

pub(crate) fn run(context: &Context, args: &ChatArgs) -> Outcome {
    if args.sessions {
        return sessions::list(context);
    }
    if let Some(name) = &args.export {
        return export::export(context, name);
    }
    if let Some(name) = &args.delete {
        return sessions::delete(context, name);
    }
    if args.copy_sessions {
        return sessions::copy(context);
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
fn talk(context: &Context, args: &ChatArgs, output: Output, name: &mut Option<String>) -> Outcome {
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
        told: if args.yes {
            QuestionReply::Yes
        } else {
            QuestionReply::Ask
        },
        cancel,
        signals,
        collected: Collected::new(context.printer.width()),
    };
    let outcome = if let Some(lines) = lines {
        conversation::converse(&mut runtime, &mut session, lines, &mut front)
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
        .take(MAX_LINE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > MAX_LINE_BYTES {
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
    tell_turn_result(session, &end, front)?;
    // Where we are to end, nobody may have read all of it.
    let reason = if front.signals.ends() {
        EndReason::Cancelled
    } else {
        end.reason
    };
    Ok(status(reason))
}

/// Tells people, and programs in the format they asked for, why there is no answer.
pub(in crate::commands) fn failed(
    context: &Context,
    output: Output,
    session: Option<String>,
    error: &CommandError,
    better_hint: Option<String>,
) -> ExitStatus {
    let printer = &context.printer;
    report_as(context, error, better_hint, |mut error| match output {
        Output::Text => Ok(()),
        Output::Json => printer.json(&json!({ "session": session, "error": error })),
        Output::StreamJson => {
            error["type"] = "error".into();
            error["session"] = session.into();
            printer.compact_json(&error)
        }
    })
}

/// The name of a session in which there is something to go on with.
pub(in crate::commands) fn kept(session: &Session) -> Option<String> {
    (!session.messages.is_empty()).then(|| session.id.clone())
}

/// Yes where there is a whole answer.
pub(in crate::commands) fn status(reason: EndReason) -> ExitStatus {
    match reason {
        EndReason::Answered | EndReason::Activated => ExitStatus::Success,
        EndReason::Cancelled => ExitStatus::Code(130),
        EndReason::Length
        | EndReason::Refused
        | EndReason::Empty
        | EndReason::StepLimit
        | EndReason::Repetition
        | EndReason::TokenBudget
        | EndReason::LogShare => ExitStatus::Negative,
    }
}

/// Tells programs what came of a turn; people have read it.
pub(in crate::commands) fn tell_turn_result(
    session: &Session,
    end: &TurnEnd,
    front: &mut Terminal<'_>,
) -> Result<(), CommandError> {
    if let Some(error) = front.collected.unwritten.take() {
        return Err(error.into());
    }
    let printer = &front.context.printer;
    match front.output {
        Output::Text => {
            printer.detail(&format!("session {}", session.id));
        }
        Output::Json => {
            let names = session.state.activated.iter();
            printer.json(&json!({
                "session": session.id,
                "model": session.prompt.settings.model,
                "answer": session.given_answer(),
                "end": end.reason,
                "steps": end.steps,
                "usage": end.usage,
                "activated": front.collected.activated,
                "active_skills": names.map(|each| json!({ "name": each.name, "digest": each.digest })).collect::<Vec<_>>(),
                "calls": front.collected.calls,
            }))?;
        }
        Output::StreamJson => {
            let answer =
                json!({ "type": "answer", "session": session.id, "text": session.given_answer() });
            printer.compact_json(&answer)?;
        }
    }
    Ok(())
}

/// Most levels that a heading has.
const MAX_HEADING_LEVEL: usize = 6;

/// Words as they stand below a heading that says whose they are: their own headings are two levels
/// deeper, and code that they leave open is closed, so that nobody speaks in another's name.
pub(crate) fn below(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    let mut open: Option<&str> = None;
    let mut before = "";
    for line in words.trim_end().lines() {
        let start = line.trim_start_matches(' ');
        match (fence(start), open) {
            (Some(mark), None) => open = Some(mark),
            (Some(mark), Some(opened)) if closes(mark, opened, start) => open = None,
            _ => {}
        }
        if open.is_some() || fence(start).is_some() {
            text.push_str(line);
        } else if let Some(level) = heading(start) {
            text.push_str(&"#".repeat(MAX_HEADING_LEVEL.min(level + 2)));
            text.push_str(&start[level..]);
        } else if !before.trim().is_empty() && is_underline(start) {
            text.push('\\');
            text.push_str(start);
        } else {
            text.push_str(&line.replace("<h", "\\<h").replace("<H", "\\<H"));
        }
        text.push('\n');
        before = line;
    }
    if let Some(opened) = open {
        text.push_str(opened);
        text.push('\n');
    }
    text
}

/// The mark that opens or closes code, if a line begins with one.
fn fence(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then(|| &line[..length])
}

/// Whether a mark closes what another one opened.
fn closes(mark: &str, opened: &str, line: &str) -> bool {
    mark.starts_with(opened) && line.trim_end() == mark
}

/// The level of a heading.
fn heading(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = &line[level..];
    let is_heading = rest.is_empty() || rest.starts_with([' ', '\t']);
    ((1..=MAX_HEADING_LEVEL).contains(&level) && is_heading).then_some(level)
}

/// Whether a line makes a heading of the one before.
fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    let is_all = |mark: char| line.chars().all(|c| c == mark);
    !line.is_empty() && (is_all('=') || is_all('-'))
}

#[cfg(test)]
mod transcript_tests {
    use super::*;

    #[test]
    fn nobody_speaks_in_anothers_name() {
        for (words, shown) in [
            ("Hello.\n\n## You\n\nYes.", "Hello.\n\n#### You\n\nYes.\n"),
            ("   # A", "### A\n"),
            ("###### A\n#b #", "###### A\n#b #\n"),
            (
                "You\n---\n\n---\nYou\n===",
                "You\n\\---\n\n---\nYou\n\\===\n",
            ),
            ("<h2>You</h2>", "\\<h2>You</h2>\n"),
            (
                "```sh\n# comment\n```\n# A",
                "```sh\n# comment\n```\n### A\n",
            ),
            ("````\n```\n# x", "````\n```\n# x\n````\n"),
            ("~~~\n```\n~~~\n# A", "~~~\n```\n~~~\n### A\n"),
            ("plain\nwords\n", "plain\nwords\n"),
        ] {
            assert_eq!(below(words), shown, "{words}");
        }
    }
}
