//! The sessions that are being followed, and those that are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};
use skillyard_agent::session::{
    Owner, Session, SessionCursor, SessionError, SessionStore, SessionSummary,
};

use super::Conversation;
use super::history::history;
use crate::access::SessionOwner;
use crate::agents::{Agents, AgentsError, NewSession, refuse_long_model};
use crate::host::HostError;
use crate::problem::Problem;

/// How many sessions of one token, or of the user of this machine, are kept at hand.
const MAX_CONVERSATIONS: usize = 200;
/// How many sessions are listed.
pub(crate) const MAX_LISTED: usize = 200;

/// The sessions at hand.
pub(crate) struct ChatSessions {
    agents: Option<Arc<dyn Agents>>,
    known: Mutex<Vec<Arc<Conversation>>>,
    /// Set while those at hand are stopped: whoever comes behind them is stopped from the start.
    has_ended: AtomicBool,
}

impl ChatSessions {
    pub(crate) fn new(agents: Option<Arc<dyn Agents>>) -> Self {
        Self {
            agents,
            known: Mutex::default(),
            has_ended: AtomicBool::new(false),
        }
    }

    /// The agents of this machine.
    pub(crate) fn agents(&self) -> Result<&Arc<dyn Agents>, Problem> {
        self.agents.as_ref().ok_or_else(|| {
            let status = axum::http::StatusCode::NOT_FOUND;
            Problem::new(status, "no agents answer here")
        })
    }

    fn store(&self) -> Result<Arc<SessionStore>, Problem> {
        Ok(self.agents()?.sessions())
    }

    /// So many of the sessions that somebody sees, those first that were used last, from a place on,
    /// and the place from which older ones follow.
    pub(crate) fn list(
        &self,
        session_owner: &SessionOwner,
        behind: Option<&SessionCursor>,
        limit: usize,
    ) -> Result<(Vec<SessionSummary>, Option<SessionCursor>), Problem> {
        let owner = match session_owner {
            SessionOwner::All => Owner::Any,
            SessionOwner::Token(token) => Owner::Only(token),
        };
        let limit = limit.clamp(1, MAX_LISTED);
        let listed = self.store()?.list_of(owner, behind, limit + 1);
        let mut listed = listed.map_err(kept)?;
        let has_more = listed.len() > limit;
        listed.truncate(limit);
        let last = listed
            .last()
            .filter(|_| has_more)
            .map(SessionSummary::place);
        Ok((listed, last))
    }

    /// Begins a session.
    pub(crate) fn open(&self, wish: &NewSession) -> Result<Arc<Conversation>, Problem> {
        refuse_long_model(wish.model.as_deref())?;
        let session = self.agents()?.begin(wish)?;
        let conversation = Conversation::new(&session, telling()?, Vec::new());
        Ok(self.keep(Arc::new(conversation.with_draft(session))))
    }

    /// The session of an id, if there is one that somebody sees.
    pub(crate) fn find(
        &self,
        id: &str,
        session_owner: &SessionOwner,
    ) -> Result<Arc<Conversation>, Problem> {
        let missing = || {
            let status = axum::http::StatusCode::NOT_FOUND;
            Problem::new(status, "there is no such session")
        };
        let found = self.current(id)?.ok_or_else(missing)?;
        if session_owner.sees(found.owner.as_deref()) {
            Ok(found)
        } else {
            Err(missing())
        }
    }

    /// The session as it is now: the terminal may have gone on with it.
    fn current(&self, id: &str) -> Result<Option<Arc<Conversation>>, Problem> {
        let known = self.known().iter().find(|each| each.id == id).cloned();
        if let Some(known) = &known
            && (known.is_busy() || known.draft().is_some())
        {
            return Ok(Some(Arc::clone(known)));
        }
        let store = self.store()?;
        let length = store.length(id).map_err(kept)?;
        match (known, length) {
            (Some(known), Some(length)) if known.kept().load(Ordering::Acquire) == length => {
                Ok(Some(known))
            }
            (known, Some(_)) => {
                if known.is_some() {
                    self.forget(id);
                }
                let session = store.load(id).map_err(kept)?;
                let conversation = Conversation::new(&session, telling()?, history(&session));
                Ok(Some(self.keep(Arc::new(conversation))))
            }
            (_, None) => {
                self.forget(id);
                Ok(None)
            }
        }
    }

    /// The session behind a conversation, as far as it is kept.
    pub(crate) fn session(&self, conversation: &Conversation) -> Result<Session, Problem> {
        let is_busy = conversation.is_busy();
        let draft = conversation.draft().clone();
        match draft {
            Some(draft) if !is_busy => Ok(draft),
            draft => match (self.store()?.load(&conversation.id), draft) {
                // What is said first is kept before it is answered, though not at once.
                (Err(SessionError::Unknown(_)), Some(draft)) => Ok(draft),
                (session, _) => session.map_err(kept),
            },
        }
    }

    /// Refuses a session that another program is at work on, before anything is said in it.
    pub(crate) fn unless_elsewhere(&self, conversation: &Conversation) -> Result<(), Problem> {
        if conversation.is_busy() || conversation.draft().is_some() {
            return Ok(());
        }
        let id = &conversation.id;
        if self.store()?.is_in_use(id).map_err(kept)? {
            return Err(kept(SessionError::InUse(id.clone())));
        }
        Ok(())
    }

    /// Deletes a session that was found; a turn that is under way in it can keep nothing more.
    pub(crate) fn delete(&self, conversation: &Conversation) -> Result<(), Problem> {
        conversation.stop();
        self.forget(&conversation.id);
        self.store()?.forget(&conversation.id).map_err(kept)
    }

    /// Copies a session that was found.
    pub(crate) fn fork(&self, conversation: &Conversation) -> Result<String, Problem> {
        let now = jiff::Timestamp::now();
        let fork = self.session(conversation)?.fork(now).map_err(kept)?;
        // It is kept, and written down, once something is said in it.
        let copy = Conversation::new(&fork, telling()?, history(&fork)).with_draft(fork);
        Ok(self.keep(Arc::new(copy)).id.clone())
    }

    /// Stops all turns and lets all readers go; no turn begins any more.
    pub(crate) fn close(&self) {
        let known = self.known();
        self.has_ended.store(true, Ordering::SeqCst);
        for each in known.iter() {
            each.stop_with_server();
            each.close();
        }
    }

    fn forget(&self, id: &str) {
        let mut known = self.known();
        for each in known.extract_if(.., |each| each.id == id) {
            each.close();
        }
    }

    fn keep(&self, conversation: Arc<Conversation>) -> Arc<Conversation> {
        let mut known = self.known();
        // Somebody else may have been quicker.
        if let Some(found) = known.iter().find(|each| each.id == conversation.id) {
            return Arc::clone(found);
        }
        let is_own = |each: &Conversation| each.owner == conversation.owner;
        if known.iter().filter(|each| is_own(each)).count() >= MAX_CONVERSATIONS {
            let idle = |each: &Arc<Conversation>| is_own(each) && !each.is_busy();
            let is_kept = |each: &Arc<Conversation>| idle(each) && each.draft().is_none();
            // What the store has is found again; a draft would be lost.
            let gone = known.iter().position(is_kept);
            if let Some(gone) = gone.or_else(|| known.iter().position(idle)) {
                known.remove(gone).close();
            }
        }
        if self.has_ended.load(Ordering::SeqCst) {
            conversation.stop_with_server();
            conversation.close();
        }
        known.push(Arc::clone(&conversation));
        conversation
    }

    fn known(&self) -> MutexGuard<'_, Vec<Arc<Conversation>>> {
        self.known.lock()
    }
}

/// A name for one telling of a session.
fn telling() -> Result<String, Problem> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(HostError::new)?;
    Ok(hex::encode(bytes))
}

/// The store's own words may name paths of this machine.
fn kept(error: SessionError) -> Problem {
    match error {
        SessionError::InUse(_) => Problem::new(
            axum::http::StatusCode::CONFLICT,
            "the session is in use elsewhere",
        ),
        other => HostError::new(other).into(),
    }
}

impl From<AgentsError> for Problem {
    fn from(error: AgentsError) -> Self {
        match error {
            AgentsError::Wrong(text) => Self::bad(text),
            AgentsError::Host(error) => error.into(),
        }
    }
}
