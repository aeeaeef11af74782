//! Who asks for a skill, and what the log says of them.

use skillyard_agent::trace_context::TraceParent;
use skillyard_audit::Event;
use skillyard_catalog::CatalogSkill;

use crate::access::{Access, Holder, Role};
use crate::server::Server;

/// Who asked for a skill.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestContext<'a> {
    /// What they call their session, which is no session of ours.
    pub(crate) session: Option<&'a str>,
    /// The task that they say it is for.
    pub(crate) task: Option<&'a str>,
    /// The conversation as the log names it.
    pub(crate) conversation: Option<&'a str>,
    /// The conversation that users load skills into.
    pub(crate) acting: Option<&'a str>,
    /// The way it was asked for: `api`, `mcp`, `web`.
    pub(crate) trigger: &'a str,
    /// The trace that the request belongs to.
    pub(crate) trace: Option<&'a TraceParent>,
    /// What they may do, which decides about paths.
    pub(crate) role: Role,
    /// Whether they have the files of this machine.
    pub(crate) files: FileAccess,
    /// The token that they have, as the log names it.
    pub(crate) token: &'a str,
}

impl RequestContext<'_> {
    /// An event about a skill, with everything that is known of who asked for it.
    pub(crate) fn signed(self, event: Event, skill: &CatalogSkill) -> Event {
        let holder = Holder {
            role: self.role,
            name: self.token.to_owned(),
        };
        let event = holder
            .signed(event)
            .skill(skill.record.name.as_str())
            .source(skill.kind.as_str())
            .trigger(self.trigger);
        let event = match self.trace {
            Some(trace) => event.detail("traceparent", trace.to_string()),
            None => event,
        };
        let event = match self.conversation {
            Some(conversation) => event.session(conversation),
            None => event,
        };
        let event = match self.task {
            Some(task) => event.task(task),
            None => event,
        };
        match self.session {
            // The sessions of the log are those that were begun here: others cannot write into them.
            Some(session) => event.detail("client_session", session),
            None => event,
        }
    }
}

/// Whether who asks has the files of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum FileAccess {
    /// They are elsewhere, or somebody else: a skill's folder is its address.
    #[default]
    Remote,
    /// They are here, and the same user: a skill's folder is where it lies.
    Shared,
}

impl FileAccess {
    /// What somebody with this role has over HTTP: an admin is the user of this machine only where
    /// nobody else can reach the server.
    pub(crate) fn over_http(server: &Server, role: Role) -> Self {
        match (server.access(), role) {
            (Access::Loopback, Role::Admin) => Self::Shared,
            _ => Self::Remote,
        }
    }
}
