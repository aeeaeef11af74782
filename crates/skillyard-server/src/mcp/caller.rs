//! Who calls: their conversation, what they may do, and the trace they carry.

use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};
use skillyard_audit::Event;
use skillyard_format::package::Digest;

use crate::access::Role;
use crate::access::gate::Visitor;
use crate::activation::Asker;
use crate::server::Server;

/// How long a trace may be to be believed.
const LONGEST_TRACE: usize = 512;
/// What a trace consists of.
const TRACE: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// A connection, which is a conversation of its own until it ends.
pub(super) struct Connection {
    name: String,
    server: Arc<Server>,
}

impl Connection {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self {
            name: server.acting.begin(),
            server,
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.server.acting.end(&self.name);
    }
}

/// Who calls.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// The conversation.
    pub(super) conversation: String,
    /// What they may do.
    pub(super) role: Role,
    /// What they call themselves.
    pub(super) client: String,
    /// The parts of a trace, as they came.
    pub(super) trace: Map<String, Value>,
}

impl Caller {
    pub(super) fn of(connection: &Connection, context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<Parts>();
        let visitor = parts.and_then(|parts| parts.extensions.get::<Visitor>());
        let client = context.client_info().map(|client| client.name);
        let client = client.unwrap_or_default();
        let client: String = client.chars().take(64).collect();
        let stateless = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28);
        let conversation = match parts {
            Some(parts) if stateless => {
                let token = parts.headers.get(AUTHORIZATION);
                let token = token.map(HeaderValue::as_bytes).unwrap_or_default();
                format!("{}-{client}", &Digest::of(token).to_hex()[..16])
            }
            _ => connection.name.clone(),
        };
        let trace = TRACE.into_iter().filter_map(|key| {
            let value = context.meta.get(key)?.as_str()?;
            let fits = value.len() <= LONGEST_TRACE && value.chars().all(|c| c.is_ascii_graphic());
            fits.then(|| (key.to_owned(), value.into()))
        });
        Self {
            conversation,
            // Who holds the other end of our own pipes is the user.
            role: visitor.map_or(Role::Admin, |visitor| visitor.role),
            client,
            trace: trace.collect(),
        }
    }

    /// As the rest of the server knows who asks.
    pub(super) fn asker<'a>(&'a self, trigger: &'a str) -> Asker<'a> {
        Asker {
            trigger,
            trace: self.traceparent(),
            ..Asker::default()
        }
    }

    fn traceparent(&self) -> Option<&str> {
        self.trace.get("traceparent").and_then(Value::as_str)
    }

    /// An event of theirs.
    pub(super) fn event(&self, event: Event) -> Event {
        let event = event.trigger("mcp").detail("client", &self.client);
        match self.traceparent() {
            Some(trace) => event.detail("traceparent", trace),
            None => event,
        }
    }
}
