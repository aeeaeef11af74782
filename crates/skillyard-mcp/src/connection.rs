//! A conversation with one server.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::error::McpError;
use crate::handshake::{Discovered, discover, initialize, with_meta};
use crate::limits::Limits;
use crate::listing::Listing;
use crate::outcome::Outcome;
use crate::progress::{Progress, Watched};
use crate::spec::{ServerSpec, Transport};
use crate::tool::Tools;
use crate::wire::{Http, Listener, Patience, Stdio, Wire};

/// How the server talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// With a handshake, as up to 2025-11-25.
    Legacy,
    /// Without, as from 2026-07-28.
    Modern,
}

/// What a server says of itself.
#[derive(Debug, Clone)]
pub struct Hello {
    /// How it talks.
    pub protocol: Protocol,
    /// The revision.
    pub revision: String,
    /// Its own name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it wants models to know.
    pub instructions: String,
    /// What it can do.
    pub capabilities: Value,
}

/// What changed at a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Its tools.
    Tools,
    /// Its resources, and with them its skills.
    Resources,
}

/// A conversation with one server.
pub struct Connection {
    wire: Box<dyn Wire>,
    hello: Hello,
    limits: Limits,
    watched: Arc<Watched>,
}

impl Connection {
    /// Starts or reaches the server and says hello.
    pub fn open(
        spec: &ServerSpec,
        on_change: Arc<dyn Fn(Change) + Send + Sync>,
        cancel: &AtomicBool,
    ) -> Result<Self, McpError> {
        let watched: Arc<Watched> = Arc::default();
        let heard = Arc::clone(&watched);
        let listener: Listener = Arc::new(move |method: &str, said: &Value| match method {
            "notifications/progress" => heard.hear(said),
            "notifications/tools/list_changed" => on_change(Change::Tools),
            "notifications/resources/list_changed" => on_change(Change::Resources),
            _ => {}
        });
        let start = Instant::now();
        // Both ways of beginning together take no longer than one hello may.
        let patience = |most: Duration| Patience { most, cancel };
        let mut wire = wire(spec, &listener)?;
        let rest = || patience(spec.limits.hello.saturating_sub(start.elapsed()));
        let found = discover(&*wire, patience(spec.limits.hello / 2))?;
        let was_silent = matches!(found, Discovered::Silent);
        let hello = if let Discovered::Known(hello) = found {
            hello
        } else {
            // A session of the older protocol begins on a clean line.
            if !wire.is_open() || matches!(spec.transport, Transport::Http { .. }) {
                wire = self::wire(spec, &listener)?;
            }
            match initialize(&*wire, rest()) {
                // What it read first was the question that nobody waits for any more.
                Err(refused @ McpError::Refused { .. }) if was_silent => {
                    match discover(&*wire, rest())? {
                        Discovered::Known(hello) => hello,
                        _ => return Err(refused),
                    }
                }
                // Whoever reads it set the whole time, not what was left of it.
                Err(McpError::Silent { .. }) => {
                    let after = spec.limits.hello;
                    return Err(McpError::Silent { after });
                }
                outcome => outcome?,
            }
        };
        let connection = Self {
            wire,
            hello,
            limits: spec.limits.clone(),
            watched,
        };
        connection.listen();
        Ok(connection)
    }

    /// What the server says of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Whether it still leads somewhere.
    pub fn is_open(&self) -> bool {
        self.wire.is_open()
    }

    /// Whether the server says that it can do this, as a path of names.
    pub fn can(&self, path: &str) -> bool {
        self.hello
            .capabilities
            .pointer(path)
            .is_some_and(|value| *value != json!(false))
    }

    fn listen(&self) {
        let changes = ["/tools/listChanged", "/resources/listChanged"];
        if !changes.iter().any(|path| self.can(path)) {
            return;
        }
        match self.hello.protocol {
            Protocol::Legacy => self.wire.listen(None),
            Protocol::Modern => {
                let filter = json!({ "toolsListChanged": true, "resourcesListChanged": true });
                let params = with_meta(json!({ "notifications": filter }), Map::new());
                self.wire.listen(Some(("subscriptions/listen", params)));
            }
        }
    }

    /// The server's tools.
    pub fn tools(&self, spec: &ServerSpec, cancel: &AtomicBool) -> Result<Tools, McpError> {
        if !self.can("/tools") {
            return Ok(Tools::default());
        }
        // Some of them may be of no use, and of a large server most, where somebody chose some.
        let some = if spec.only.is_some() { 64 } else { 4 };
        let listed = self.list("tools/list", "tools", self.limits.tools * some, cancel)?;
        Ok(Tools::take(
            &spec.name,
            spec.only.as_deref(),
            listed,
            &self.limits,
        ))
    }

    /// Calls a tool by the server's name for it; `meta` goes along, and `progress` is told how far
    /// it is.
    pub fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        mut meta: Map<String, Value>,
        progress: Option<Progress>,
        cancel: &AtomicBool,
    ) -> Result<Outcome, McpError> {
        let params = json!({ "name": tool, "arguments": arguments });
        let token = progress.map(|progress| self.watched.begin(progress));
        if let Some(token) = token {
            meta.insert("progressToken".into(), token.into());
        }
        let raw = self.ask_with("tools/call", params, meta, self.limits.call, cancel);
        if let Some(token) = token {
            self.watched.end(token);
        }
        let raw = raw?;
        match raw.get("resultType").and_then(Value::as_str) {
            None | Some("complete") => Ok(Outcome::of(raw, self.limits.result)),
            Some(_) => Err(McpError::malformed(
                "it wants to ask the user, which it was told it cannot",
            )),
        }
    }

    /// The entries of a list, page after page.
    pub(crate) fn list(
        &self,
        method: &str,
        key: &str,
        most: usize,
        cancel: &AtomicBool,
    ) -> Result<Listing, McpError> {
        Listing::read(method, key, most, &self.limits, |params, end| {
            let rest = end.saturating_duration_since(Instant::now());
            self.ask_with(method, params, Map::new(), rest, cancel)
        })
    }

    /// Asks for something that takes no longer than a hello.
    pub(crate) fn ask(
        &self,
        method: &str,
        params: Value,
        cancel: &AtomicBool,
    ) -> Result<Value, McpError> {
        self.ask_with(method, params, Map::new(), self.limits.hello, cancel)
    }

    fn ask_with(
        &self,
        method: &str,
        mut params: Value,
        meta: Map<String, Value>,
        most: Duration,
        cancel: &AtomicBool,
    ) -> Result<Value, McpError> {
        let params = match self.hello.protocol {
            Protocol::Modern => with_meta(params, meta),
            Protocol::Legacy => {
                if !meta.is_empty() {
                    params["_meta"] = meta.into();
                }
                params
            }
        };
        self.wire.ask(method, &params, Patience { most, cancel })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
}

fn wire(spec: &ServerSpec, listener: &Listener) -> Result<Box<dyn Wire>, McpError> {
    let (largest, listener) = (spec.limits.message, Arc::clone(listener));
    Ok(match &spec.transport {
        Transport::Stdio(launch) => Box::new(Stdio::start(launch, largest, listener)?),
        Transport::Http {
            client,
            url,
            headers,
        } => Box::new(Http::new(client, url, headers, largest, listener)),
    })
}
