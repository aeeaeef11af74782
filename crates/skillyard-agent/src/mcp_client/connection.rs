//! A connection to one server: handshake, lists, calls and their progress.
//!
//! The stateless revision (`server/discover`) is tried first. A server that does not know it answers
//! with an error, does not answer, or exits; then `initialize` follows, in a new process if the old one
//! exited. A server that did not answer may only be slow to start: if it refuses `initialize`, it is
//! asked again with `server/discover`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use skillyard_format::text::one_line;

use super::call_result::CallResult;
use super::config::{McpLimits, ServerSpec, Transport};
use super::error::McpError;
use super::listing::ServerList;
use super::tool::Tools;
use super::transport::{Deadline, HttpTransport, McpTransport, OnNotification, StdioTransport};

/// The stateless revision.
const MODERN: &str = "2026-07-28";
/// The last revision with a handshake.
const LEGACY: &str = "2025-11-25";
/// Revisions that a server may choose in the handshake.
const LEGACY_REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY];
/// Timeout of the first `server/discover`.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(5);
/// Characters of a server's name, version and instructions.
const MAX_INFO: usize = 2_000;
/// Characters of a progress message.
const MAX_PROGRESS: usize = 300;
const META_PREFIX: &str = "io.modelcontextprotocol/";

/// The kind of protocol that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// With a handshake, up to 2025-11-25.
    Legacy,
    /// Stateless, from 2026-07-28.
    Modern,
}

/// What a server reports about itself.
#[derive(Debug, Clone)]
pub struct ServerInfo {
    /// The kind of protocol.
    pub protocol: Protocol,
    /// The protocol revision.
    pub revision: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its instructions for models.
    pub instructions: String,
    /// Its capabilities.
    pub capabilities: Value,
}

/// What changed at a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerChange {
    /// Its tools.
    Tools,
    /// Its resources, and with them its skills.
    Resources,
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressUpdate {
    /// How much is done.
    pub progress: f64,
    /// How much there is to do, if that is known.
    pub total: Option<f64>,
    /// The server's message, in one short line.
    pub message: Option<String>,
}

/// Receives the progress of a call.
pub type OnProgress = Arc<dyn Fn(ProgressUpdate) + Send + Sync>;

/// A connection to one server.
pub(super) struct Connection {
    transport: Box<dyn McpTransport>,
    info: ServerInfo,
    limits: McpLimits,
    progress: Arc<ProgressListeners>,
}

impl Connection {
    /// Starts or reaches the server and performs the handshake.
    pub(super) fn open(
        spec: &ServerSpec,
        on_change: Arc<dyn Fn(ServerChange) + Send + Sync>,
        cancel: &AtomicBool,
    ) -> Result<Self, McpError> {
        let progress: Arc<ProgressListeners> = Arc::default();
        let listeners = Arc::clone(&progress);
        let on_notification: OnNotification = Arc::new(move |method, params| match method {
            "notifications/progress" => listeners.notify(params),
            "notifications/tools/list_changed" => on_change(ServerChange::Tools),
            "notifications/resources/list_changed" => on_change(ServerChange::Resources),
            _ => {}
        });
        let (transport, info) = connect(spec, &on_notification, cancel)?;
        let connection = Self {
            transport,
            info,
            limits: spec.limits.clone(),
            progress,
        };
        connection.subscribe();
        Ok(connection)
    }

    pub(super) fn info(&self) -> &ServerInfo {
        &self.info
    }

    pub(super) fn is_open(&self) -> bool {
        self.transport.is_open()
    }

    pub(super) fn limits(&self) -> &McpLimits {
        &self.limits
    }

    /// Whether the server has a capability, as a JSON pointer.
    pub(super) fn can(&self, pointer: &str) -> bool {
        let capability = self.info.capabilities.pointer(pointer);
        capability.is_some_and(|value| *value != json!(false))
    }

    /// Subscribes to changes of the lists.
    fn subscribe(&self) {
        let changes = ["/tools/listChanged", "/resources/listChanged"];
        if !changes.iter().any(|pointer| self.can(pointer)) {
            return;
        }
        match self.info.protocol {
            Protocol::Legacy => self.transport.subscribe(None),
            Protocol::Modern => {
                let filter = json!({ "toolsListChanged": true, "resourcesListChanged": true });
                let params = with_meta(json!({ "notifications": filter }), Map::new());
                self.transport
                    .subscribe(Some(("subscriptions/listen", params)));
            }
        }
    }

    /// The server's tools.
    pub(super) fn tools(&self, spec: &ServerSpec, cancel: &AtomicBool) -> Result<Tools, McpError> {
        if !self.can("/tools") {
            return Ok(Tools::default());
        }
        // Unusable entries do not count, nor do those of a large server that were not selected.
        let factor = if spec.only.is_some() { 64 } else { 4 };
        let max = self.limits.tools * factor;
        let listed = self.list("tools/list", "tools", max, cancel)?;
        let only = spec.only.as_deref();
        Ok(Tools::from_list(&spec.name, only, listed, &self.limits))
    }

    /// Calls a tool by the server's name for it.
    pub(super) fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        mut meta: Map<String, Value>,
        on_progress: Option<OnProgress>,
        cancel: &AtomicBool,
    ) -> Result<CallResult, McpError> {
        let params = json!({ "name": tool, "arguments": arguments });
        let token = on_progress.map(|on_progress| self.progress.add(on_progress));
        if let Some(token) = token {
            meta.insert("progressToken".into(), token.into());
        }
        let raw = self.request_with("tools/call", params, meta, self.limits.call, cancel);
        if let Some(token) = token {
            self.progress.remove(token);
        }
        let raw = raw?;
        match raw.get("resultType").and_then(Value::as_str) {
            None | Some("complete") => Ok(CallResult::new(raw, self.limits.result)),
            Some(_) => Err(McpError::malformed(
                "it asks for input, which this client does not offer",
            )),
        }
    }

    /// The entries of a list with all its pages.
    pub(super) fn list(
        &self,
        method: &str,
        key: &str,
        max: usize,
        cancel: &AtomicBool,
    ) -> Result<ServerList, McpError> {
        ServerList::read(method, key, max, &self.limits, |params, end| {
            let timeout = end.saturating_duration_since(Instant::now());
            self.request_with(method, params, Map::new(), timeout, cancel)
        })
    }

    /// Sends a request with the timeout of a handshake.
    pub(super) fn request(
        &self,
        method: &str,
        params: Value,
        cancel: &AtomicBool,
    ) -> Result<Value, McpError> {
        self.request_with(method, params, Map::new(), self.limits.handshake, cancel)
    }

    fn request_with(
        &self,
        method: &str,
        mut params: Value,
        meta: Map<String, Value>,
        timeout: Duration,
        cancel: &AtomicBool,
    ) -> Result<Value, McpError> {
        let params = match self.info.protocol {
            Protocol::Modern => with_meta(params, meta),
            Protocol::Legacy => {
                if !meta.is_empty() {
                    params["_meta"] = meta.into();
                }
                params
            }
        };
        let deadline = Deadline { timeout, cancel };
        self.transport.request(method, &params, deadline)
    }
}

/// Opens a transport and performs the handshake, within `limits.handshake` in all.
fn connect(
    spec: &ServerSpec,
    on_notification: &OnNotification,
    cancel: &AtomicBool,
) -> Result<(Box<dyn McpTransport>, ServerInfo), McpError> {
    let start = Instant::now();
    let total = spec.limits.handshake;
    let within = |timeout| Deadline { timeout, cancel };
    let rest = || within(total.saturating_sub(start.elapsed()));
    let mut transport = open_transport(spec, on_notification)?;
    let discovered = discover(&*transport, within(total / 2))?;
    if let Discovered::Modern(info) = discovered {
        return Ok((transport, info));
    }
    // A legacy session needs a connection on which nothing was sent before.
    if !transport.is_open() || matches!(spec.transport, Transport::Http { .. }) {
        transport = open_transport(spec, on_notification)?;
    }
    let info = match initialize(&*transport, rest()) {
        // It read `server/discover` first, after that request had timed out.
        Err(refused @ McpError::Refused { .. }) if matches!(discovered, Discovered::Timeout) => {
            match discover(&*transport, rest())? {
                Discovered::Modern(info) => info,
                _ => return Err(refused),
            }
        }
        // Report the timeout that the user set, not the rest of it.
        Err(McpError::Timeout { .. }) => return Err(McpError::Timeout { after: total }),
        outcome => outcome?,
    };
    Ok((transport, info))
}

fn open_transport(
    spec: &ServerSpec,
    on_notification: &OnNotification,
) -> Result<Box<dyn McpTransport>, McpError> {
    let (max_message, on_notification) = (spec.limits.message, Arc::clone(on_notification));
    Ok(match &spec.transport {
        Transport::Stdio(command) => Box::new(StdioTransport::start(
            command,
            max_message,
            on_notification,
        )?),
        Transport::Http {
            client,
            url,
            headers,
        } => Box::new(HttpTransport::new(
            client,
            url,
            headers,
            max_message,
            on_notification,
        )),
    })
}

/// The answer to `server/discover`.
enum Discovered {
    Modern(ServerInfo),
    /// The server does not know the stateless revision.
    Unsupported,
    Timeout,
}

fn discover(
    transport: &dyn McpTransport,
    mut deadline: Deadline<'_>,
) -> Result<Discovered, McpError> {
    transport.set_protocol_version(MODERN);
    deadline.timeout = deadline.timeout.min(DISCOVER_TIMEOUT);
    let params = with_meta(json!({}), Map::new());
    let answer = match transport.request("server/discover", &params, deadline) {
        Ok(answer) => answer,
        Err(
            error @ (McpError::Unreachable { .. } | McpError::Start { .. } | McpError::Cancelled),
        ) => return Err(error),
        Err(McpError::Timeout { .. }) => return Ok(Discovered::Timeout),
        Err(_) => return Ok(Discovered::Unsupported),
    };
    let versions = answer.get("supportedVersions").and_then(Value::as_array);
    if !versions.is_some_and(|all| all.iter().any(|each| each == MODERN)) {
        return Ok(Discovered::Unsupported);
    }
    let info = answer.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    let info = server_info(&answer, info, Protocol::Modern, MODERN);
    Ok(Discovered::Modern(info))
}

fn initialize(
    transport: &dyn McpTransport,
    deadline: Deadline<'_>,
) -> Result<ServerInfo, McpError> {
    transport.set_protocol_version(LEGACY);
    let params =
        json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client_info() });
    let answer = transport.request("initialize", &params, deadline)?;
    let version = answer.get("protocolVersion").and_then(Value::as_str);
    let version = version
        .filter(|version| LEGACY_REVISIONS.contains(version))
        .ok_or_else(|| McpError::malformed("it speaks a revision that we do not know"))?;
    transport.set_protocol_version(version);
    transport.notify("notifications/initialized", &json!({}))?;
    let info = answer.get("serverInfo");
    Ok(server_info(&answer, info, Protocol::Legacy, version))
}

/// Adds the `_meta` that every request of the stateless revision carries.
fn with_meta(mut params: Value, mut meta: Map<String, Value>) -> Value {
    meta.insert(format!("{META_PREFIX}protocolVersion"), MODERN.into());
    meta.insert(format!("{META_PREFIX}clientInfo"), client_info());
    meta.insert(format!("{META_PREFIX}clientCapabilities"), json!({}));
    params["_meta"] = meta.into();
    params
}

fn client_info() -> Value {
    json!({ "name": "skillyard", "version": env!("CARGO_PKG_VERSION") })
}

fn server_info(
    answer: &Value,
    info: Option<&Value>,
    protocol: Protocol,
    revision: &str,
) -> ServerInfo {
    let short = |text: Option<&Value>| -> String {
        let text = text.and_then(Value::as_str).unwrap_or_default();
        one_line(text).chars().take(MAX_INFO).collect()
    };
    let field = |key: &str| info.and_then(|info| info.get(key));
    ServerInfo {
        protocol,
        revision: revision.to_owned(),
        name: short(field("name")),
        version: short(field("version")),
        instructions: short(answer.get("instructions")),
        capabilities: answer.get("capabilities").cloned().unwrap_or_default(),
    }
}

/// The calls whose progress is reported, by their tokens.
#[derive(Default)]
struct ProgressListeners {
    next: AtomicU64,
    calls: Mutex<HashMap<u64, OnProgress>>,
}

impl ProgressListeners {
    fn add(&self, on_progress: OnProgress) -> u64 {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        self.calls.lock().insert(token, on_progress);
        token
    }

    fn remove(&self, token: u64) {
        self.calls.lock().remove(&token);
    }

    fn notify(&self, params: &Value) {
        let token = params.get("progressToken").and_then(Value::as_u64);
        let Some(on_progress) = token.and_then(|token| self.calls.lock().get(&token).cloned())
        else {
            return;
        };
        let number = |key| params.get(key).and_then(Value::as_f64);
        let message = params.get("message").and_then(Value::as_str);
        on_progress(ProgressUpdate {
            progress: number("progress").unwrap_or_default(),
            total: number("total"),
            message: message.map(|text| one_line(text).chars().take(MAX_PROGRESS).collect()),
        });
    }
}
