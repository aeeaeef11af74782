//! The session that is talked in: a new one, or one that is gone on with.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use skillyard_agent::session::Session;
use skillyard_agent::settings::{AgentSettings, ToolMode};
use skillyard_agent::{Runtime, TurnError};
use skillyard_trust::guard::GuardEnvironment as _;
use skillyard_trust::verdict::OptIn;

use crate::agent;
use crate::agent::settings::{configured, resolved, strategy, tool_mode};
use crate::agent::{FileAccess, SessionSpec, workspace};
use crate::commands::chat::{ChatArgs, sessions};
use crate::context::Context;
use crate::error::CommandError;
use crate::library::signers;
use crate::mcp::Lenders;
use crate::text::sanitize::visible;

/// The session, and what it runs with.
pub(super) fn start(
    context: &Context,
    args: &ChatArgs,
    cancel: &AtomicBool,
) -> Result<(Runtime, Session), CommandError> {
    args.keep_locked(context)?;
    signers::warn_where_unknown(context);
    let opt_in = if args.allow_scripts {
        OptIn::Yes
    } else {
        OptIn::No
    };
    let mut wanted = SessionSpec {
        choice: args.choice.clone(),
        only: None,
        opt_in,
        lenders: Lenders::default(),
        lent_before: None,
        files: FileAccess::Workspace,
    };
    let named = named_folder(context, args)?;
    if let Some(name) = &args.resume {
        let store = agent::store(context)?;
        let chosen;
        let name = if name.is_empty() {
            chosen = sessions::pick(context, &store)?;
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
            session.change_model(&settings.model, mode, tokens);
        } else if let Some(tokens) = tokens {
            session.set_context(tokens);
        }
        return Ok((runtime, session));
    }
    let there = named.map(|folder| context.in_folder(&folder));
    let context = there.as_ref().unwrap_or(context);
    let (mut settings, version) = match &args.agent {
        Some(name) => {
            let (settings, only, version) = resolved(context, name)?;
            wanted.only = Some(only);
            (settings, Some(version))
        }
        None => (configured(context)?, None),
    };
    if let Some(model) = &args.model {
        settings.model.clone_from(model);
    }
    if let Some(strategy) = &args.strategy {
        settings.strategy = self::strategy(strategy)?;
    }
    if let Some(mode) = &args.tool_mode {
        settings.tool_mode = self::tool_mode(mode)?;
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
    settings: &AgentSettings,
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

impl ChatArgs {
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
fn named_folder(context: &Context, args: &ChatArgs) -> Result<Option<PathBuf>, CommandError> {
    let Some(folder) = &args.workspace else {
        return Ok(None);
    };
    let folder = workspace(&context.environment, Some(folder))?;
    Ok(Some(folder.workspace().to_owned()))
}
