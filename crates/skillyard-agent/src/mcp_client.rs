//! The client of MCP servers: their tools and skills, checked and bounded.
//!
//! - Every server is untrusted. Messages, lists, descriptions, schemas and results have a maximum size. A
//!   server that hangs, exits or sends invalid JSON fails one call.
//! - Revision 2026-07-28 is tried first (`server/discover`), then 2025-11-25 (`initialize`).
//! - Requests of servers (sampling, roots, elicitation) are refused.
//! - A program gets an environment of listed variables only and its own process group, which is killed
//!   when the connection closes.
//! - A server that exited is started again for the next call, with exponential backoff. The call that it
//!   exited in is not repeated, because it may have had its effect.
//! - Secrets are removed from a server's error messages.
//! - Tools are called `mcp__SERVER__TOOL`. Characters that such a name cannot contain are replaced, and a
//!   part of a digest keeps the names distinct.
//! - Published skills (SEP-2640) are listed without reading a file. A file must have the listed size and
//!   SHA-256.
//! - All calls block.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use skillyard_agent::mcp_client::{McpLimits, ServerCommand, ServerSpec, Servers, Transport};
//!
//! let servers = Servers::new(vec![ServerSpec {
//!     name: "files".into(),
//!     transport: Transport::Stdio(ServerCommand {
//!         program: "/bin/false".into(),
//!         arguments: Vec::new(),
//!         environment: Vec::new(),
//!         folder: "/".into(),
//!     }),
//!     only: None,
//!     limits: McpLimits::default(),
//! }]);
//! // The program exits at once, and the error says so.
//! let tools = servers.tools("files", &AtomicBool::new(false));
//! assert!(tools.is_err());
//! ```

mod call_result;
mod config;
mod connection;
mod error;
mod json_rpc;
mod listing;
mod schema;
mod skill;
mod tool;
mod transport;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use skillyard_format::mcp_tool_name::PREFIX;

use connection::Connection;

pub use call_result::{CallResult, mark_untrusted};
pub use config::{McpLimits, ServerCommand, ServerSpec, Transport, is_server_name};
pub use connection::{OnProgress, ProgressUpdate, Protocol, ServerChange, ServerInfo};
pub use error::McpError;
pub use skill::{Manifest, PublishedFile, PublishedSkill, Rejected, Skills};
pub use tool::{Tool, Tools};
pub use transport::end_all;

/// Pause after a failure: the first, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_mins(1));

/// A failure that took this long counts as slow, and the longest pause after it, so that not every
/// turn waits for the server again.
const SLOW_BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(5));

/// Receives the name of a server that changed, and what changed.
type OnChange = Box<dyn Fn(&str, ServerChange) + Send + Sync>;

/// Removes secrets from a text.
type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// The configured servers: connected on first use, and again after they exited.
#[derive(Default)]
pub struct Servers {
    slots: Vec<Arc<Slot>>,
}

/// A call and its result.
#[derive(Debug, Clone)]
pub struct CompletedCall {
    /// The server.
    pub server: String,
    /// The server's name for the tool.
    pub tool: String,
    /// The result.
    pub result: CallResult,
}

/// A connected server.
#[derive(Debug, Clone)]
pub struct ServerState {
    /// What it reports about itself.
    pub info: ServerInfo,
    /// Its tools.
    pub tools: Arc<Tools>,
}

struct Slot {
    spec: ServerSpec,
    state: Mutex<SlotState>,
    /// Whether the known tools may be outdated.
    stale: Arc<AtomicBool>,
    on_change: Arc<Mutex<Option<OnChange>>>,
    redact: Redact,
}

#[derive(Default)]
struct SlotState {
    connection: Option<Arc<Connection>>,
    tools: Option<Arc<Tools>>,
    /// The number of failures in a row, the time of the next attempt, and the last error.
    failed: Option<(u32, Instant, String)>,
}

impl Servers {
    /// Connects to no server yet.
    pub fn new(specs: Vec<ServerSpec>) -> Self {
        Self::redacting(specs, str::to_owned)
    }

    /// Passes the error messages of servers through `redact`, because they may quote their tokens.
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
                on_change: Arc::default(),
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

    /// Reports changes from now on.
    pub fn on_change(
        &self,
        on_change: impl Fn(&str, ServerChange) + Send + Sync + Clone + 'static,
    ) {
        for slot in &self.slots {
            *slot.on_change.lock() = Some(Box::new(on_change.clone()));
        }
    }

    /// Connects to a server and returns what it reports.
    pub fn state(&self, server: &str, cancel: &AtomicBool) -> Result<ServerState, McpError> {
        let slot = self.slot(server)?;
        let connection = slot.connection(cancel)?;
        Ok(ServerState {
            info: connection.info().clone(),
            tools: slot.tools(cancel)?,
        })
    }

    /// The tools of a server.
    pub fn tools(&self, server: &str, cancel: &AtomicBool) -> Result<Arc<Tools>, McpError> {
        self.slot(server)?.tools(cancel)
    }

    /// Calls a tool by its name for models; `meta` is sent with the call.
    pub fn call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        meta: Map<String, Value>,
        cancel: &AtomicBool,
    ) -> Result<CompletedCall, McpError> {
        self.call_with_progress(name, arguments, meta, None, cancel)
    }

    /// Calls a tool and reports its progress.
    pub fn call_with_progress(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        meta: Map<String, Value>,
        on_progress: Option<OnProgress>,
        cancel: &AtomicBool,
    ) -> Result<CompletedCall, McpError> {
        let unknown = || McpError::NoTool(name.to_owned());
        let slot = self.owner(name).ok_or_else(unknown)?;
        let tools = slot.tools(cancel)?;
        let tool = tools.find(name).ok_or_else(unknown)?;
        let connection = slot.connection(cancel)?;
        let result = connection.call(&tool.own_name, arguments, meta, on_progress, cancel);
        Ok(CompletedCall {
            server: slot.spec.name.clone(),
            tool: tool.own_name.clone(),
            result: slot
                .checked(result)?
                .redacted(&*slot.redact, slot.spec.limits.result),
        })
    }

    /// The server that a tool of this name belongs to.
    pub fn server_of(&self, name: &str) -> Option<&str> {
        Some(self.owner(name)?.spec.name.as_str())
    }

    /// Lists the skills of a server without reading their files.
    pub fn skills(&self, server: &str, cancel: &AtomicBool) -> Result<Skills, McpError> {
        let slot = self.slot(server)?;
        let connection = slot.connection(cancel)?;
        slot.checked(Skills::list(&connection, server, cancel))
    }

    /// Reads and verifies every file of a skill.
    pub fn fetch(
        &self,
        skill: &PublishedSkill,
        cancel: &AtomicBool,
    ) -> Result<Vec<(PublishedFile, Vec<u8>)>, McpError> {
        let slot = self.slot(&skill.server)?;
        let connection = slot.connection(cancel)?;
        slot.checked(skill.fetch(&connection, cancel))
    }

    fn slot(&self, server: &str) -> Result<&Arc<Slot>, McpError> {
        let found = self.slots.iter().find(|slot| slot.spec.name == server);
        found.ok_or_else(|| McpError::NoServer(server.to_owned()))
    }

    fn owner(&self, name: &str) -> Option<&Arc<Slot>> {
        // Names of servers contain no `__`.
        let (server, _) = name.strip_prefix(PREFIX)?.split_once("__")?;
        self.slot(server).ok()
    }
}

impl Slot {
    /// The connection, opened if there is none.
    fn connection(&self, cancel: &AtomicBool) -> Result<Arc<Connection>, McpError> {
        let mut state = self.state.lock();
        if let Some(connection) = &state.connection
            && connection.is_open()
        {
            return Ok(Arc::clone(connection));
        }
        if state.connection.take().is_some() {
            state.tools = None;
        }
        if let Some((_, next, last)) = &state.failed
            && let Some(wait) = next.checked_duration_since(Instant::now())
        {
            let last = last.clone();
            return Err(McpError::Backoff { wait, last });
        }
        let (outdated, subscriber) = (Arc::clone(&self.stale), Arc::clone(&self.on_change));
        let name = self.spec.name.clone();
        let on_change = Arc::new(move |change| {
            if change == ServerChange::Tools {
                outdated.store(true, Ordering::Relaxed);
            }
            if let Some(on_change) = &*subscriber.lock() {
                on_change(&name, change);
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
                let wait = backoff(times, start.elapsed());
                state.failed = Some((times + 1, Instant::now() + wait, error.to_string()));
                Err(error)
            }
        }
    }

    fn tools(&self, cancel: &AtomicBool) -> Result<Arc<Tools>, McpError> {
        let connection = self.connection(cancel)?;
        let fresh = !self.stale.swap(false, Ordering::Relaxed);
        if let Some(tools) = self.state.lock().tools.as_ref().filter(|_| fresh) {
            return Ok(Arc::clone(tools));
        }
        let tools = Arc::new(self.checked(connection.tools(&self.spec, cancel))?);
        self.state.lock().tools = Some(Arc::clone(&tools));
        Ok(tools)
    }

    /// Drops the connection after an error that ends it; the next call opens another.
    fn checked<T>(&self, result: Result<T, McpError>) -> Result<T, McpError> {
        if let Err(error) = &result
            && error.ends_connection()
        {
            let mut state = self.state.lock();
            let connection = state.connection.take();
            state.tools = None;
            drop(state);
            drop(connection);
        }
        result.map_err(|error| error.redacted(&*self.redact))
    }
}

/// The pause after a failure that followed `times` others and took `took`.
fn backoff(times: u32, took: Duration) -> Duration {
    let doubled = 2u32.saturating_pow(times.min(16));
    let (first, max) = if took < SLOW_BACKOFF.0 {
        BACKOFF
    } else {
        (took.saturating_mul(3), SLOW_BACKOFF.1)
    };
    first.saturating_mul(doubled).min(max)
}
