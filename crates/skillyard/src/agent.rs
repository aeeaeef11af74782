//! The agent's runtime on this machine: skills, models, sandbox, approvals and the log, put
//! together from the configuration.

mod caches;
mod desk;
mod front;
mod host;
mod kept;
mod lending;
mod lent;
mod library;
mod lying;
mod model;
mod shown;
mod signals;
mod tool_mode;
mod tracing;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use skillyard_agent::prompt::Prompt;
use skillyard_agent::session::{AgentVersion, Session, SessionError, SessionStore};
use skillyard_agent::settings::{AgentSettings, Strategy};
use skillyard_agent::{Runtime, TurnError};
use skillyard_format::Digest;
use skillyard_trust::verdict::OptIn;

use crate::commands;
use crate::context::Context;
use crate::discovered;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::Choice;
use crate::mcp::{Lenders, PublishedSkills};
use crate::sanitize::visible;

pub(crate) use desk::Desk;
pub(crate) use front::{Collected, Output, Terminal, Told};
pub(crate) use host::{Machine, told};
pub(crate) use library::{activation_tokens, folder_of, shelf, shelf_of};
pub(crate) use model::{known_model, model_context};
pub(crate) use signals::Signals;
pub(crate) use tool_mode::{asked_tool_mode, known_tool_mode, tool_mode};
pub(crate) use tracing::subscribers;

/// What a session is made with.
pub(crate) struct Wanted {
    /// Which skills.
    pub(crate) choice: Choice,
    /// If given, only these skills.
    pub(crate) only: Option<Vec<String>>,
    /// Whether scripts need no question.
    pub(crate) opt_in: OptIn,
    /// The MCP servers that lend tools and skills.
    pub(crate) lenders: Lenders,
    /// Skills of such servers as they were in a session, where it is made again.
    pub(crate) lent_before: Option<PublishedSkills>,
    /// Which files of this machine programs may change.
    pub(crate) files: Files,
}

/// Which files of this machine the programs of a session may read and change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// Those of the folder that it is in.
    Workspace,
    /// None: whoever talks in it has only a token.
    None,
}

/// Puts the runtime together for the folder of a context.
pub(crate) fn runtime(
    context: &Context,
    wanted: &Wanted,
    settings: &AgentSettings,
) -> Result<Runtime, CommandError> {
    let store = Arc::new(store(context)?);
    let runtime = runtime_with(context, wanted, settings, store)?;
    let shelf = runtime.shelf.all().iter();
    // A server tells when it loads, not with each session.
    discovered::tell(context, shelf.map(|each| &each.skill));
    Ok(runtime)
}

/// The same over sessions that are open already.
fn runtime_with(
    context: &Context,
    wanted: &Wanted,
    settings: &AgentSettings,
    store: Arc<SessionStore>,
) -> Result<Runtime, CommandError> {
    let router = settings.router_model.as_deref();
    let router = router.filter(|_| settings.strategy != Strategy::Tool);
    // Whoever chose it, and when: what is said goes there.
    keep_locked(context, &settings.model, router, settings.strategy)?;
    let shelf = shelf(context, wanted)?;
    let provider = model::provider(context, &settings.model)?;
    let router = router.map(|model| model::provider(context, model));
    let host = Machine::new(context, &shelf, wanted)?;
    Ok(Runtime {
        provider,
        router: router.transpose()?,
        shelf,
        host: Box::new(host),
        store,
        clock: jiff::Timestamp::now,
        subscribers: subscribers(context)?,
    })
}

/// Refuses what a flag, an agent or a session says that is not what the organisation locked.
pub(crate) fn keep_locked(
    context: &Context,
    model: &str,
    router: Option<&str>,
    strategy: Strategy,
) -> Result<(), CommandError> {
    let config = context.config()?;
    let said = |model: &str| format!("the model `{}`", visible(model));
    config.keep_locked("agents.model", said(model), model)?;
    if let Some(router) = router {
        config.keep_locked("agents.router_model", said(router), router)?;
    }
    if commands::chat::configured(context)?.strategy == strategy {
        return Ok(());
    }
    let strategy = strategy.as_str();
    config.keep_locked(
        "agents.activation",
        format!("the strategy `{strategy}`"),
        strategy,
    )
}

/// The sessions of this user, or of all machines that share a database.
pub(crate) fn store(context: &Context) -> Result<SessionStore, CommandError> {
    store_by(context, SessionStore::open)
}

/// The same for who only reads, be it on a full disk.
pub(crate) fn store_to_read(context: &Context) -> Result<SessionStore, CommandError> {
    store_by(context, SessionStore::open_to_read)
}

fn store_by(context: &Context, open: Opening) -> Result<SessionStore, CommandError> {
    let store = match shared_store(context)? {
        Some(store) => store,
        None => open(&context.environment.sessions_file()).map_err(TurnError::from)?,
    };
    Ok(store)
}

/// The sessions that machines share, and those that this one has in its file, where there are any.
pub(crate) fn shared_and_own(
    context: &Context,
) -> Result<(SessionStore, Option<SessionStore>), CommandError> {
    let shared = shared_store(context)?.ok_or(AgentFailure::NotShared)?;
    let file = context.environment.sessions_file();
    let own = file.exists().then(|| SessionStore::open_to_read(&file));
    Ok((shared, own.transpose().map_err(TurnError::from)?))
}

/// How the file is opened.
type Opening = fn(&Path) -> Result<SessionStore, SessionError>;

/// Whether the sessions can be used, where there are some.
pub(crate) fn check_store(context: &Context) -> Result<(), CommandError> {
    stores(context, SessionStore::open).map(drop)
}

/// What the skills consist of that sessions need to be made again.
pub(crate) fn named_by_sessions(context: &Context) -> Result<BTreeSet<Digest>, CommandError> {
    let mut named = BTreeSet::new();
    for store in stores(context, SessionStore::open_to_read)? {
        named.extend(store.digests().map_err(TurnError::from)?);
    }
    Ok(named)
}

/// What sessions were told of skills that servers publish, by marks or names.
pub(crate) fn published_in_sessions(context: &Context) -> Result<BTreeSet<String>, CommandError> {
    let mut named = BTreeSet::new();
    for store in stores(context, SessionStore::open_to_read)? {
        named.extend(store.published().map_err(TurnError::from)?);
    }
    Ok(named)
}

/// All sessions that this machine knows of. Those in the file stay there when it begins to share
/// others, and are used again when it ends.
fn stores(context: &Context, open: Opening) -> Result<Vec<SessionStore>, CommandError> {
    let mut stores = Vec::from_iter(shared_store(context)?);
    let file = context.environment.sessions_file();
    if file.exists() {
        stores.push(open(&file).map_err(TurnError::from)?);
    }
    Ok(stores)
}

fn shared_store(context: &Context) -> Result<Option<SessionStore>, CommandError> {
    let address = context.config()?.sessions_database();
    let Some(address) = address.map_err(CommandError::Setting)? else {
        return Ok(None);
    };
    let store = SessionStore::connect(&model::secret(&address));
    Ok(Some(store.map_err(TurnError::from)?))
}

/// Puts into settings what the configuration says of their model's context, unless they say it.
pub(crate) fn with_context(
    context: &Context,
    settings: &mut AgentSettings,
) -> Result<(), CommandError> {
    if settings.limits.context_tokens == 0 {
        let said = model_context(context, &settings.model)?;
        settings.limits.context_tokens = said.unwrap_or_default();
    }
    Ok(())
}

/// A new session in the folder of a context.
pub(crate) fn session(
    context: &Context,
    prompt: Prompt,
    agent: Option<AgentVersion>,
) -> Result<Session, CommandError> {
    let workspace = context.environment.current_dir.to_string_lossy();
    let workspace = workspace.into_owned();
    let session = Session::new(agent, workspace, prompt, jiff::Timestamp::now());
    Ok(session.map_err(TurnError::from)?)
}
