//! `skillyard chat`.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use skillyard_agent::front_end::EndReason;
use skillyard_agent::session::Session;
use skillyard_agent::settings::{Settings, Strategy, ToolMode};
use skillyard_agent::{Runtime, TurnEnd, TurnError};
use skillyard_trust::guard::Surroundings as _;
use skillyard_trust::verdict::OptIn;

use super::{Outcome, chat_export, chat_sessions, chat_talk};
use crate::agent::{self, Collected, Files, Output, Terminal, Told, Wanted};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, Status, report_as};
use crate::library::Choice;
use crate::mcp::Lenders;
use crate::printer::Printer;
use crate::sanitize::visible;
use crate::terminal::{LONGEST, Lines};
use crate::workspace::Workspace;

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
    let printer = &context.printer;
    let output = match (args.output_format, printer.is_json()) {
        (Some(output), _) => output,
        (None, true) => Output::Json,
        (None, false) => Output::Text,
    };
    let mut session = None;
    match talk(context, args, output, &mut session) {
        Err(error) if output != Output::Text => Ok(failed(printer, output, session, &error, None)),
        outcome => outcome,
    }
}

/// Tells people, and programs in the format they asked for, why there is no answer.
pub(super) fn failed(
    printer: &Printer,
    output: Output,
    session: Option<String>,
    error: &CommandError,
    better_hint: Option<String>,
) -> Status {
    report_as(printer, error, better_hint, |mut error| match output {
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
pub(super) fn kept(session: &Session) -> Option<String> {
    (!session.messages.is_empty()).then(|| session.id.clone())
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
    let cancel = interrupts();
    let (mut runtime, mut session) = start(context, args, &cancel)?;
    let mut front = Terminal {
        context,
        output,
        told: if args.yes { Told::Yes } else { Told::Ask },
        cancel,
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

fn start(
    context: &Context,
    args: &Args,
    cancel: &AtomicBool,
) -> Result<(Runtime, Session), CommandError> {
    args.keep_locked(context)?;
    let opt_in = if args.allow_scripts {
        OptIn::Yes
    } else {
        OptIn::No
    };
    let mut wanted = Wanted {
        choice: args.choice.clone(),
        only: None,
        opt_in,
        lenders: Lenders::default(),
        lent_before: None,
        files: Files::Workspace,
    };
    let named = named_folder(context, args)?;
    if let Some(name) = &args.resume {
        let store = agent::store(context)?;
        let chosen;
        let name = if name.is_empty() {
            chosen = chat_sessions::pick(context, &store)?;
            &chosen
        } else {
            name
        };
        let mut session = store.load(name).map_err(TurnError::from)?;
        if args.fork {
            session = session.fork(context.now()).map_err(TurnError::from)?;
        }
        let began = || PathBuf::from(&session.workspace);
        let there = context.in_folder(&named.clone().unwrap_or_else(began));
        let folder = &there.environment.current_dir;
        if named.is_none() && *folder != context.environment.current_dir {
            context.printer.note(&format!(
                "It works in `{}`, where it began, with the skills there; `--workspace .` lets it work here",
                visible(&folder.to_string_lossy())
            ));
        }
        let context = &there;
        // The session was told of these; others would change what its first bytes say.
        wanted.only = Some(session.prompt.skills.clone());
        let mut settings = session.prompt.settings.clone();
        if let Some(model) = args
            .model
            .as_ref()
            .filter(|model| **model != settings.model)
        {
            settings.model.clone_from(model);
            settings.tool_mode = ToolMode::Auto;
        }
        wanted.lenders = lenders(context, &settings, cancel)?;
        let runtime = agent::runtime(context, &wanted, &settings)?;
        let tokens = agent::model_context(context, &settings.model)?;
        if settings != session.prompt.settings {
            let mode = agent::tool_mode(context, &settings, cancel)?;
            session.hand_over(&settings.model, mode, tokens);
        } else if let Some(tokens) = tokens {
            session.has_context(tokens);
        }
        return Ok((runtime, session));
    }
    let there = named.map(|folder| context.in_folder(&folder));
    let context = there.as_ref().unwrap_or(context);
    let (mut settings, version) = match &args.agent {
        Some(name) => {
            let (settings, only, version) = super::agent::resolved(context, name)?;
            wanted.only = Some(only);
            (settings, Some(version))
        }
        None => (configured(context)?, None),
    };
    if let Some(model) = &args.model {
        settings.model.clone_from(model);
    }
    if let Some(strategy) = &args.strategy {
        settings.strategy = super::agent::strategy(strategy)?;
    }
    if let Some(mode) = &args.tool_mode {
        settings.tool_mode = super::agent::tool_mode(mode)?;
    }
    if !args.mcp.is_empty() {
        settings.mcp.clone_from(&args.mcp);
    }
    wanted.lenders = lenders(context, &settings, cancel)?;
    let runtime = agent::runtime(context, &wanted, &settings)?;
    settings.tool_mode = agent::tool_mode(context, &settings, cancel)?;
    agent::with_context(context, &mut settings)?;
    let session = agent::session(context, runtime.prompt(&settings), version)?;
    Ok((runtime, session))
}

/// The MCP servers of a session, started; the user is told of those that lend nothing.
fn lenders(
    context: &Context,
    settings: &Settings,
    cancel: &AtomicBool,
) -> Result<Lenders, CommandError> {
    let mut lenders = Lenders::named(context, &settings.mcp)?;
    let mut tell = |text: &str| context.printer.note(&format!("warning: {text}"));
    lenders.wake(cancel, &mut tell);
    if cancel.load(Ordering::Relaxed) {
        return Err(CommandError::Stopped);
    }
    Ok(lenders)
}

impl Args {
    /// Refuses flags that stand for keys which the organisation locked.
    fn keep_locked(&self, context: &Context) -> Result<(), CommandError> {
        let config = context.config()?;
        if self.allow_scripts {
            config.keep_locked("scripts.allow", "`--allow-scripts`", "true")?;
        }
        if let Some(model) = &self.model {
            config.keep_locked("agents.model", "`--model`", model)?;
        }
        match &self.strategy {
            Some(strategy) => config.keep_locked("agents.activation", "`--strategy`", strategy),
            None => Ok(()),
        }
    }
}

/// The folder that the command line names.
fn named_folder(context: &Context, args: &Args) -> Result<Option<PathBuf>, CommandError> {
    let Some(folder) = &args.workspace else {
        return Ok(None);
    };
    let folder = Workspace::new(&context.environment, Some(folder))?;
    Ok(Some(folder.workspace().to_owned()))
}

/// How an agent without a name works.
pub(crate) fn configured(context: &Context) -> Result<Settings, CommandError> {
    let config = context.config()?;
    let strategy = config.text("agents.activation");
    let strategy = strategy.as_deref().map(super::agent::strategy);
    let mut settings = Settings {
        model: config
            .text("agents.model")
            .unwrap_or_else(|| "offline".into()),
        strategy: strategy.transpose()?.unwrap_or(Strategy::Tool),
        router_model: config.text("agents.router_model"),
        ..Settings::default()
    };
    settings.limits.catalog_skills = config.max_skills();
    let routed = config.count("agents.routed_skills");
    settings.limits.routed_skills = routed.unwrap_or(settings.limits.routed_skills);
    Ok(settings)
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
    let end = runtime.turn(session, prompt, front)?;
    tell(session, &end, front)?;
    Ok(status(end.reason))
}

/// Yes where there is a whole answer.
pub(super) fn status(reason: EndReason) -> Status {
    match reason {
        EndReason::Answered | EndReason::Activated => Status::Yes,
        EndReason::Cancelled => Status::Code(130),
        EndReason::Length
        | EndReason::Refused
        | EndReason::Empty
        | EndReason::StepLimit
        | EndReason::Repetition
        | EndReason::TokenBudget => Status::No,
    }
}

/// Tells programs what came of a turn; people have read it.
pub(super) fn tell(
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

/// Becomes true with Ctrl-C.
fn interrupts() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    // A second one in the same turn ends us; whoever starts a turn clears the first.
    let _ = signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGINT,
        130,
        Arc::clone(&cancel),
    );
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&cancel));
    cancel
}
