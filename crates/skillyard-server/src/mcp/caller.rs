//! Who calls: their conversation, role and trace, and problems in the words that they may read.

use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use rmcp::model::{CallToolResult, ContentBlock, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};
use skillyard_agent::trace_context::TraceParent;
use skillyard_audit::Event;
use skillyard_format::package::Digest;
use skillyard_trust::guard::ActiveSkill;
use tokio::sync::watch;

use super::skills::invalid;
use crate::access::{Holder, Visitor};
use crate::problem::Problem;
use crate::request_context;
use crate::request_context::FileAccess;
use crate::server::Server;
use crate::telemetry::parent_of;
use crate::view::Viewer;

/// What stands beside a span of a caller, and how long it may be.
const BESIDE: [&str; 2] = ["tracestate", "baggage"];
const MAX_TRACE_VALUE: usize = 512;
/// The name of the span.
const PARENT: &str = "traceparent";

/// A connection, which is a conversation of its own until it ends.
pub(super) struct Connection {
    name: String,
    server: Arc<Server>,
    /// Whoever waits for its end has the other half.
    open: watch::Sender<()>,
}

impl Connection {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self {
            name: server.conversation_skills.begin(),
            server,
            open: watch::channel(()).0,
        }
    }

    /// Tells of its end: there will be no change any more.
    pub(super) fn end(&self) -> watch::Receiver<()> {
        self.open.subscribe()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.server.conversation_skills.end(&self.name);
    }
}

/// Who calls.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// The conversation.
    pub(super) conversation: String,
    /// The same as the log names it.
    pub(super) session: String,
    /// Who they are, and what they may do.
    pub(super) holder: Holder,
    /// Whether they have the files of this machine.
    pub(super) files: FileAccess,
    /// What they call themselves.
    pub(super) client: String,
    /// The span that the call belongs to.
    pub(super) parent: Option<TraceParent>,
    /// The same with what stood beside it, as it is passed on.
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
        let meta = |key: &str| context.meta.get(key).and_then(Value::as_str);
        let parent = meta(PARENT).and_then(TraceParent::parse);
        let parent = parent.or_else(|| parent_of(&parts?.headers));
        let beside = BESIDE.into_iter().filter_map(|key| {
            let value = meta(key).filter(|_| parent.is_some())?;
            let fits =
                value.len() <= MAX_TRACE_VALUE && value.chars().all(|c| c.is_ascii_graphic());
            fits.then(|| (key.to_owned(), value.into()))
        });
        let mut trace: Map<String, Value> = beside.collect();
        if let Some(parent) = &parent {
            trace.insert(PARENT.to_owned(), parent.to_string().into());
        }
        let session = Digest::of(conversation.as_bytes()).to_hex();
        Self {
            session: format!("mcp-{}", &session[..16]),
            conversation,
            // Who holds the other end of our own pipes is the user.
            files: match visitor {
                Some(visitor) => FileAccess::over_http(&connection.server, visitor.holder.role),
                None => FileAccess::Shared,
            },
            holder: visitor.map_or_else(Holder::user, |visitor| visitor.holder.clone()),
            client,
            parent,
            trace,
        }
    }

    /// What they see of the server.
    pub(super) fn viewer<'a>(&self, server: &'a Server) -> Viewer<'a> {
        Viewer::new(self.holder.role, server)
    }

    /// As the rest of the server knows who asks.
    pub(super) fn request_context<'a>(
        &'a self,
        trigger: &'a str,
    ) -> request_context::RequestContext<'a> {
        request_context::RequestContext {
            conversation: Some(&self.session),
            acting: Some(&self.conversation),
            trigger,
            trace: self.parent.as_ref(),
            role: self.holder.role,
            files: self.files,
            token: &self.holder.name,
            ..request_context::RequestContext::default()
        }
    }

    /// Lets a skill act in their conversation.
    pub(super) fn load(&self, server: &Server, skill: ActiveSkill, digest: String) {
        let owner = &self.holder.name;
        let acting = &server.conversation_skills;
        acting.load(owner, &self.conversation, skill, digest);
    }

    /// An event of theirs.
    pub(super) fn event(&self, event: Event) -> Event {
        let event = self.holder.signed(event);
        let event = event
            .session(&self.session)
            .trigger("mcp")
            .detail("client", &self.client);
        match &self.parent {
            Some(parent) => event.detail(PARENT, parent.to_string()),
            None => event,
        }
    }
}

/// A problem as the error of a request.
pub(super) fn error(server: &Server, caller: &Caller, problem: &Problem) -> ErrorData {
    let text = words(server, caller, problem);
    if problem.status().is_server_error() {
        ErrorData::internal_error(text, None)
    } else {
        invalid(text)
    }
}

/// A problem as the result of a tool, which the model reads and may do better.
pub(super) fn failure(server: &Server, caller: &Caller, problem: &Problem) -> CallToolResult {
    failed(words(server, caller, problem))
}

/// A failed result with a text that names no paths.
pub(super) fn failed(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// What they are told; what went wrong inside goes into the log.
fn words(server: &Server, caller: &Caller, problem: &Problem) -> String {
    server.log_trouble("MCP", problem);
    caller.viewer(server).redactor().redact(problem.detail())
}
