//! All servers of a configuration: opened when they are needed, and again when they ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use skillyard_format::mcp_tool_name::PREFIX;

use crate::connection::{Change, Connection, Hello};
use crate::error::McpError;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::skill::{PublishedFile, PublishedSkill, Skills};
use crate::spec::ServerSpec;
use crate::tool::Tools;

/// How long a server that failed is left alone, first and at most.
const REST: (Duration, Duration) = (Duration::from_millis(500), Duration::from_mins(1));

/// From when on a server was slow to fail, and the longest that such a one is left alone: whoever
/// waited for it should not have to again in every turn.
const SLOW: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(5));

/// Is told which server changed, and how.
type Subscriber = Box<dyn Fn(&str, Change) + Send + Sync>;

/// Takes out of a text what nobody may read.
type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// All servers of a configuration.
#[derive(Default)]
pub struct Servers {
    slots: Vec<Arc<Slot>>,
}

/// What came of a call.
#[derive(Debug, Clone)]
pub struct Called {
    /// The server.
    pub server: String,
    /// The server's name for the tool.
    pub tool: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// How a server is.
#[derive(Debug, Clone)]
pub struct ServerState {
    /// What it says of itself.
    pub hello: Hello,
    /// Its tools.
    pub tools: Arc<Tools>,
}

struct Slot {
    spec: ServerSpec,
    state: Mutex<State>,
    /// Whether the tools that are known may be old.
    stale: Arc<AtomicBool>,
    subscriber: Arc<Mutex<Option<Subscriber>>>,
    redact: Redact,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    tools: Option<Arc<Tools>>,
    /// How often it failed in a row, when it may be tried again, and with what it failed.
    failed: Option<(u32, Instant, String)>,
}

impl Servers {
    /// None of them is started yet.
    pub fn new(specs: Vec<ServerSpec>) -> Self {
        Self::redacting(specs, str::to_owned)
    }

    /// The same; what these servers say of a failure goes through `redact`, because they quote the
    /// tokens that they are given.
    pub fn redacting(
        specs: Vec<ServerSpec>,
        redact: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let redact: Redact = Arc::new(redact);
        let slot = |spec| {
            Arc::new(Slot {
                spec,
                state: Mutex::default(),
                stale: Arc::default(),
                subscriber: Arc::default(),
                redact: Arc::clone(&redact),
            })
        };
        Self {
            slots: specs.into_iter().map(slot).collect(),
        }
    }

    /// Their names, in the order of the configuration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(|slot| slot.spec.name.as_str())
    }

    /// Tells of changes from now on.
    pub fn on_change(&self, subscriber: impl Fn(&str, Change) + Send + Sync + Clone + 'static) {
        for slot in &self.slots {
            *locked(&slot.subscriber) = Some(Box::new(subscriber.clone()));
        }
    }

    /// Opens a server, and tells what it is and what it has.
    pub fn state(&self, server: &str, cancel: &AtomicBool) -> Result<ServerState, McpError> {
        let slot = self.slot(server)?;
        let connection = slot.connection(cancel)?;
        Ok(ServerState {
            hello: connection.hello().clone(),
            tools: slot.tools(cancel)?,
        })
    }

    /// The tools of a server.
    pub fn tools(&self, server: &str, cancel: &AtomicBool) -> Result<Arc<Tools>, McpError> {
        self.slot(server)?.tools(cancel)
    }

    /// Calls a tool by its name here; `meta` goes along.
    pub fn call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        meta: Map<String, Value>,
        cancel: &AtomicBool,
    ) -> Result<Called, McpError> {
        self.call_watched(name, arguments, meta, None, cancel)
    }

    /// The same; `progress` is told how far it is.
    pub fn call_watched(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        meta: Map<String, Value>,
        progress: Option<Progress>,
        cancel: &AtomicBool,
    ) -> Result<Called, McpError> {
        let unknown = || McpError::NoTool(name.to_owned());
        let slot = self.owner(name).ok_or_else(unknown)?;
        let tools = slot.tools(cancel)?;
        let tool = tools.find(name).ok_or_else(unknown)?;
        let connection = slot.connection(cancel)?;
        let outcome = connection.call(&tool.own_name, arguments, meta, progress, cancel);
        Ok(Called {
            server: slot.spec.name.clone(),
            tool: tool.own_name.clone(),
            outcome: slot
                .noted(outcome)?
                .redacted(&*slot.redact, slot.spec.limits.result),
        })
    }

    /// The server that a tool with this name would be of.
    pub fn server_of(&self, name: &str) -> Option<&str> {
        Some(self.owner(name)?.spec.name.as_str())
    }

    /// The skills that a server publishes, of which nothing is read yet.
    pub fn skills(&self, server: &str, cancel: &AtomicBool) -> Result<Skills, McpError> {
        let slot = self.slot(server)?;
        let connection = slot.connection(cancel)?;
        slot.noted(Skills::list(&connection, server, cancel))
    }

    /// Every file of a skill, each checked against what was listed.
    pub fn fetch(
        &self,
        skill: &PublishedSkill,
        cancel: &AtomicBool,
    ) -> Result<Vec<(PublishedFile, Vec<u8>)>, McpError> {
        let slot = self.slot(&skill.server)?;
        let connection = slot.connection(cancel)?;
        slot.noted(skill.fetch(&connection, cancel))
    }

    fn slot(&self, server: &str) -> Result<&Arc<Slot>, McpError> {
        let found = self.slots.iter().find(|slot| slot.spec.name == server);
        found.ok_or_else(|| McpError::NoServer(server.to_owned()))
    }

    fn owner(&self, name: &str) -> Option<&Arc<Slot>> {
        // Names of servers hold no `__`, so the first one ends the name.
        let (server, _) = name.strip_prefix(PREFIX)?.split_once("__")?;
        self.slot(server).ok()
    }
}

impl Slot {
    /// The connection, opened if there is none.
    fn connection(&self, cancel: &AtomicBool) -> Result<Arc<Connection>, McpError> {
        let mut state = locked(&self.state);
        if let Some(connection) = &state.connection
            && connection.is_open()
        {
            return Ok(Arc::clone(connection));
        }
        if state.connection.take().is_some() {
            state.tools = None;
        }
        if let Some((_, next, last)) = &state.failed
            && let Some(rest) = next.checked_duration_since(Instant::now())
        {
            let last = last.clone();
            return Err(McpError::Resting { rest, last });
        }
        let (old, subscriber) = (Arc::clone(&self.stale), Arc::clone(&self.subscriber));
        let name = self.spec.name.clone();
        let on_change = Arc::new(move |change| {
            if change == Change::Tools {
                old.store(true, Ordering::Relaxed);
            }
            if let Some(subscriber) = &*locked(&subscriber) {
                subscriber(&name, change);
            }
        });
        let start = Instant::now();
        match Connection::open(&self.spec, on_change, cancel) {
            Ok(connection) => {
                let connection = Arc::new(connection);
                state.connection = Some(Arc::clone(&connection));
                state.failed = None;
                Ok(connection)
            }
            Err(McpError::Cancelled) => Err(McpError::Cancelled),
            Err(error) => {
                let error = error.redacted(&*self.redact);
                let times = state.failed.as_ref().map_or(0, |(times, ..)| *times);
                let rest = rest(times, start.elapsed());
                state.failed = Some((times + 1, Instant::now() + rest, error.to_string()));
                Err(error)
            }
        }
    }

    fn tools(&self, cancel: &AtomicBool) -> Result<Arc<Tools>, McpError> {
        let connection = self.connection(cancel)?;
        let fresh = !self.stale.swap(false, Ordering::Relaxed);
        if let Some(tools) = locked(&self.state).tools.as_ref().filter(|_| fresh) {
            return Ok(Arc::clone(tools));
        }
        let tools = Arc::new(self.noted(connection.tools(&self.spec, cancel))?);
        locked(&self.state).tools = Some(Arc::clone(&tools));
        Ok(tools)
    }

    /// Gives up a connection that is of no use any more; the next call opens another.
    fn noted<T>(&self, result: Result<T, McpError>) -> Result<T, McpError> {
        if let Err(error) = &result
            && error.ends_connection()
        {
            let mut state = locked(&self.state);
            let connection = state.connection.take();
            state.tools = None;
            drop(state);
            drop(connection);
        }
        result.map_err(|error| error.redacted(&*self.redact))
    }
}

/// How long a server is left alone that failed so often before, and took so long now.
fn rest(times: u32, took: Duration) -> Duration {
    let doubled = 2u32.saturating_pow(times.min(16));
    let (of, most) = if took < SLOW.0 {
        (REST.0, REST.1)
    } else {
        (took.saturating_mul(3), SLOW.1)
    };
    of.saturating_mul(doubled).min(most)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
