//! The sessions that are being followed, and who answers in them.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Chat, ChatEvent, Conversation, Listener as _, SessionSummary, offline};
use crate::host::HostError;
use crate::problem::Problem;
use crate::server::Server;

/// How many sessions are kept at hand.
const MOST: usize = 200;

/// The sessions at hand.
pub(crate) struct Register {
    partner: Option<Arc<dyn Chat>>,
    known: Mutex<Vec<(String, Arc<Conversation>)>>,
}

impl Register {
    pub(crate) fn new(partner: Option<Arc<dyn Chat>>) -> Self {
        Self {
            partner,
            known: Mutex::default(),
        }
    }

    /// Who answers.
    pub(crate) fn partner(&self) -> String {
        let partner = self.partner.as_ref();
        partner.map_or_else(|| "offline (no model)".to_owned(), |it| it.name())
    }

    /// All sessions, the newest first.
    pub(crate) fn list(&self) -> Result<Vec<SessionSummary>, HostError> {
        if let Some(partner) = &self.partner {
            return partner.sessions();
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = known.iter().rev();
        Ok(newest
            .map(|(id, conversation)| SessionSummary {
                id: id.clone(),
                title: conversation.title(),
            })
            .collect())
    }

    /// Begins a session.
    pub(crate) fn open(&self) -> Result<String, HostError> {
        let id = if let Some(partner) = &self.partner {
            partner.open()?
        } else {
            let mut bytes = [0; 16];
            getrandom::fill(&mut bytes).map_err(HostError::new)?;
            hex::encode(bytes)
        };
        self.keep(&id, Vec::new());
        Ok(id)
    }

    /// The session of an id.
    pub(crate) fn find(&self, id: &str) -> Result<Option<Arc<Conversation>>, HostError> {
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, found)) = known.iter().find(|(each, _)| each == id) {
                return Ok(Some(Arc::clone(found)));
            }
        }
        let Some(partner) = &self.partner else {
            return Ok(None);
        };
        let history = partner.history(id)?;
        Ok(history.map(|events| self.keep(id, events)))
    }

    fn keep(&self, id: &str, events: Vec<ChatEvent>) -> Arc<Conversation> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have been quicker.
        if let Some((_, found)) = known.iter().find(|(each, _)| each == id) {
            return Arc::clone(found);
        }
        if known.len() >= MOST
            && let Some(idle) = known.iter().position(|(_, it)| !it.is_busy())
        {
            known.remove(idle);
        }
        let conversation = Arc::new(Conversation::new(events));
        known.push((id.to_owned(), Arc::clone(&conversation)));
        conversation
    }
}

impl Server {
    /// Takes a turn on a thread of its own; the session must be free for it.
    pub(crate) fn take_turn(
        self: &Arc<Self>,
        id: &str,
        conversation: Arc<Conversation>,
        text: String,
    ) -> Result<(), Problem> {
        if !conversation.begin() {
            let status = axum::http::StatusCode::CONFLICT;
            return Err(Problem::new(
                status,
                "the last message is still being answered",
            ));
        }
        conversation.tell(ChatEvent::User { text: text.clone() });
        let (server, id) = (Arc::clone(self), id.to_owned());
        tokio::task::spawn_blocking(move || {
            let ending = Ending(&conversation);
            let listener = ending.0;
            let said = match &server.register.partner {
                Some(partner) => partner.say(&id, &text, listener).map_err(Problem::from),
                None => offline::say(&server, &id, &text, listener),
            };
            if let Err(problem) = said {
                let text = problem.detail().to_owned();
                listener.tell(ChatEvent::Problem { text });
            }
        });
        Ok(())
    }
}

/// Ends the turn however the thread ends.
struct Ending<'a>(&'a Conversation);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_sessions_give_way() {
        let register = Register::new(None);
        let first = register.open().unwrap();
        for _ in 0..MOST {
            register.open().unwrap();
        }
        assert_eq!(register.list().unwrap().len(), MOST);
        assert!(register.find(&first).unwrap().is_none());
    }
}
