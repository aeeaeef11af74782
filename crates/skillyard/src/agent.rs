//! The agent's runtime on this machine: skills, models, sandbox, approvals and the log, put
//! together from the configuration.

mod desk;
mod front;
mod host;
mod kept;
mod lending;
mod library;
mod lying;
mod model;
pub(crate) mod settings;
mod shown;
mod signals;
mod tool_mode;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use secrecy::SecretString;
use serde_json::{Map, Value, json};
use skillyard_agent::host::{HostError, Lent, LentCall, Permission};
use skillyard_agent::mcp_client::{is_server_name, mark_untrusted};
use skillyard_agent::message::CallOutcome;
use skillyard_agent::prompt::Prompt;
use skillyard_agent::session::{AgentVersion, Session, SessionError, SessionStore};
use skillyard_agent::settings::{AgentSettings, Strategy};
use skillyard_agent::telemetry::{OtlpEndpoint, OtlpExporter, TelemetrySubscriber, Tracer};
use skillyard_agent::tool_spec::ToolSpec;
use skillyard_agent::workspace::Workspace;
use skillyard_agent::{Runtime, TurnError};
use skillyard_catalog::resource::{MAX_DEPTH, MAX_FOLDERS};
use skillyard_format::Digest;
use skillyard_trust::verdict::OptIn;

use crate::config::mcp::Approval;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::NameFilter;
use crate::mcp::{Lenders, PublishedSkills, published};
use crate::text::sanitize::visible;

pub(crate) use crate::agent::front::QuestionReply;
pub(crate) use crate::agent::host::LocalMachine;
pub(crate) use desk::Desk;
pub(crate) use front::{Collected, Output, Terminal};
pub(crate) use host::told;
pub(crate) use library::{activation_tokens, folder_of, shelf, shelf_of};
pub(crate) use model::{known_model, model_context};
pub(crate) use signals::Signals;
pub(crate) use tool_mode::{asked_tool_mode, known_tool_mode, tool_mode};

/// What a session is made with.
pub(crate) struct SessionSpec {
    /// Which skills.
    pub(crate) choice: NameFilter,
    /// If given, only these skills.
    pub(crate) only: Option<Vec<String>>,
    /// Whether scripts need no question.
    pub(crate) opt_in: OptIn,
    /// The MCP servers that lend tools and skills.
    pub(crate) lenders: Lenders,
    /// Skills of such servers as they were in a session, where it is made again.
    pub(crate) lent_before: Option<PublishedSkills>,
    /// Which files of this machine programs may change.
    pub(crate) files: FileAccess,
}

/// Which files of this machine the programs of a session may read and change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// Those of the folder that it is in.
    Workspace,
    /// None: whoever talks in it has only a token.
    None,
}

/// Puts the runtime together for the folder of a context.
pub(crate) fn runtime(
    context: &Context,
    wanted: &SessionSpec,
    settings: &AgentSettings,
) -> Result<Runtime, CommandError> {
    let store = Arc::new(store(context)?);
    let runtime = runtime_with(context, wanted, settings, store)?;
    let shelf = runtime.shelf.all().iter();
    // A server tells when it loads, not with each session.
    crate::library::tell_discovery_log(context, shelf.map(|each| &each.skill));
    Ok(runtime)
}

/// The same over sessions that are open already.
fn runtime_with(
    context: &Context,
    wanted: &SessionSpec,
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
    let host = LocalMachine::new(context, &shelf, wanted)?;
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
    if settings::configured(context)?.strategy == strategy {
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

/// The folder, which must exist; the current one without a name.
pub(crate) fn workspace(
    environment: &Environment,
    folder: Option<&Path>,
) -> Result<Workspace, CommandError> {
    let folder = folder.unwrap_or(&environment.current_dir);
    let home = environment.home.clone();
    let found = Workspace::new(folder, home, environment.path.clone());
    found.map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => CommandError::NotAFolder(folder.to_owned()),
        _ => CommandError::NoSuchPath(folder.to_owned()),
    })
}

/// Who hears of sessions. All sessions of a process have the same way to the receiver.
pub(crate) fn subscribers(
    context: &Context,
) -> Result<Vec<Arc<dyn TelemetrySubscriber>>, CommandError> {
    if let Some(tracer) = context.tracer.get() {
        return Ok(vec![Arc::clone(tracer) as Arc<dyn TelemetrySubscriber>]);
    }
    let receiver = context.config()?.trace_receiver();
    let Some(receiver) = receiver.map_err(CommandError::Setting)? else {
        return Ok(Vec::new());
    };
    let client = model::client(context, &receiver.url, "telemetry.endpoint")?;
    let headers = receiver.headers.into_iter().map(|(name, value)| {
        let value = SecretString::from(value.expose().to_owned());
        (name, value)
    });
    let otlp = OtlpExporter::new(
        OtlpEndpoint {
            client,
            url: receiver.url,
            headers: headers.collect(),
        },
        env!("CARGO_PKG_VERSION"),
    );
    let tracer = context.tracer.get_or_init(|| Arc::new(Tracer::new(otlp)));
    Ok(vec![Arc::clone(tracer) as Arc<dyn TelemetrySubscriber>])
}

/// The caches in a folder and below it.
#[derive(Default)]
struct Caches {
    /// Their folders, of which none is a link.
    folders: Vec<PathBuf>,
    /// Whether there may be more: the folder is larger, or deeper, than a skill can be.
    may_be_more: bool,
}

impl Caches {
    /// Those in a folder and below it.
    fn of(folder: &Path) -> Self {
        let mut found = Self::default();
        let mut waiting = vec![(folder.to_owned(), 0)];
        let mut looked_at = 0;
        while let Some((folder, depth)) = waiting.pop() {
            looked_at += 1;
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            let folders = entries.filter(|each| each.file_type().is_ok_and(|kind| kind.is_dir()));
            for entry in folders {
                if entry.file_name() == "__pycache__" {
                    found.folders.push(entry.path());
                } else if depth < MAX_DEPTH && looked_at + waiting.len() < MAX_FOLDERS {
                    waiting.push((entry.path(), depth + 1));
                } else {
                    found.may_be_more = true;
                }
            }
        }
        found.folders.sort();
        found
    }
}

/// What makes Python pass over all caches, where they cannot be hidden: they lie where nothing can.
fn passed_over() -> (OsString, OsString) {
    ("PYTHONPYCACHEPREFIX".into(), "/dev/null".into())
}

/// Removes what is kept of servers that the configuration does not name any more, but for what
/// sessions need to be made again; how many listings of skills went.
pub(crate) fn remove_mcp_leftovers(context: &Context) -> Result<usize, CommandError> {
    let folder = published::folder(context);
    let configured = context.config()?.mcp_servers();
    let gone = |name: &String| is_server_name(name) && !configured.contains(name);
    let left: Vec<String> = names(&folder).filter(gone).collect();
    if left.is_empty() {
        return Ok(0);
    }
    // Where they cannot be asked, nothing is removed.
    let wanted = published_in_sessions(context)?;
    let mut removed = 0;
    for server in left {
        let of_server = format!("{server}:");
        if wanted.iter().any(|name| name.starts_with(&of_server)) {
            continue;
        }
        let folder = folder.join(server);
        for mark in names(&folder).filter(|mark| !wanted.contains(mark)) {
            let place = folder.join(mark);
            fs::remove_dir_all(&place).map_err(|source| CommandError::Write {
                path: place.clone(),
                source,
            })?;
            removed += 1;
        }
        // It stays where something is left in it.
        let _ = fs::remove_dir(folder);
    }
    Ok(removed)
}

/// The folders in a folder.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| entry.file_name().into_string().ok())
}

/// What a server is told of who calls it.
const SESSION: &str = "dev.skillyard/session";
const SKILLS: &str = "dev.skillyard/skills";

/// The tools of all servers, which were started before.
fn tools(context: &Context, lenders: &Lenders) -> Vec<ToolSpec> {
    let mut specs = Vec::new();
    for lent in &lenders.lent {
        specs.extend(lent.tools.tools.iter().map(|tool| ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        }));
        for reason in &lent.tools.rejected {
            let line = format!("MCP server `{}`: {}", lent.server, visible(reason));
            context.printer.detail(&line);
        }
    }
    specs
}

/// Whether the user is asked before a tool is called.
fn permission(lenders: &Lenders, tool: &str) -> Permission {
    match lenders.of_tool(tool) {
        Some(server) if server.approval == Approval::Never => Permission::Run,
        Some(server) => Permission::Ask {
            reason: format!(
                "the model wants to use a tool of MCP server `{}`",
                server.name
            ),
        },
        None => Permission::Blocked {
            reason: format!("no MCP server of this session lends `{tool}`"),
        },
    }
}

/// Calls a tool; the server learns of the session and its skills.
fn call(lenders: &Lenders, call: &LentCall<'_>, cancel: &AtomicBool) -> Result<Lent, HostError> {
    let skills = call.skills.iter();
    let skills = skills.map(|each| json!({ "name": each.name, "digest": each.digest }));
    let mut meta = Map::new();
    meta.insert(SESSION.into(), call.session.into());
    meta.insert(SKILLS.into(), Value::Array(skills.collect()));
    let called = lenders
        .servers
        .call(call.tool, call.arguments, meta, cancel);
    let called = called.map_err(|error| HostError::new(error.to_string()))?;
    Ok(Lent {
        content: mark_untrusted(&called.server, &called.tool, &called.result.text),
        outcome: if called.result.is_error {
            CallOutcome::Failed
        } else {
            CallOutcome::Ok
        },
        server: called.server,
        own_name: called.tool,
    })
}
