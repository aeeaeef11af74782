//! A session made again from the store and the disk, beside what the audit log says.

use axum::http::StatusCode;
use serde::Serialize;
use skillyard_agent::replay::{events, replay};
use skillyard_audit::{EventKind, Outcome, verify};
use utoipa::ToSchema;

use crate::access::SessionOwner;
use crate::problem::Problem;
use crate::server::Server;

/// What came of replaying a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Replayed {
    /// The session.
    pub(crate) session: String,
    /// Whether every byte that a model was given is the same.
    pub(crate) same: bool,
    /// How many messages were compared.
    pub(crate) messages: usize,
    /// How many requests to models.
    pub(crate) requests: usize,
    /// How many texts were made again.
    pub(crate) rendered: usize,
    /// How many results were compared with the log only.
    pub(crate) recorded: usize,
    /// The first thing that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) divergence: Option<String>,
    /// Whether the log that it was compared with is as it was written.
    pub(crate) intact: bool,
    /// The first thing that is wrong with the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<String>,
}

impl Server {
    /// Replays a session of an exact id, whoever's it is.
    pub(crate) fn replayed(&self, id: &str) -> Result<Replayed, Problem> {
        let conversation = self.chats.find(id, &SessionOwner::All)?;
        if conversation.is_busy() {
            let text = "the session is still at work; replay it once it has answered";
            return Err(Problem::new(StatusCode::CONFLICT, text));
        }
        let session = self.chats.session(&conversation)?;
        let agents = self.chats.agents()?;
        let mut library = agents.shelf_of(&session)?;
        let log = self.host.audit_folder();
        let fault = verify(log, None)?.fault;
        let events = events(&session, log)?;
        let outcome = replay(&session, &mut library, events);
        let done = outcome.as_ref().copied().unwrap_or_default();
        Ok(Replayed {
            session: session.id,
            same: outcome.is_ok(),
            messages: done.messages,
            requests: done.requests,
            rendered: done.rendered,
            recorded: done.recorded,
            divergence: outcome.err().map(|divergence| divergence.to_string()),
            intact: fault.is_none(),
            fault: fault.map(|fault| fault.to_string()),
        })
    }
}

/// What is asked for and cannot be in any log: whoever mistypes a filter must not read that nothing
/// happened.
pub(crate) fn unknown_filter(event: Option<&str>, outcome: Option<&str>) -> Option<String> {
    let event = event.filter(|event| !EventKind::is_known(event));
    let outcome = outcome.filter(|outcome| Outcome::from_name(outcome).is_none());
    match (event, outcome) {
        (Some(event), _) => Some(format!("there is no event `{event}`")),
        (None, Some(outcome)) => Some(format!("there is no outcome `{outcome}`")),
        (None, None) => None,
    }
}
