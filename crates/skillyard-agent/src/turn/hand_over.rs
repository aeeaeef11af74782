//! Writing down that another model goes on with a session.

use skillyard_audit::{Event, EventKind};

use super::{Runtime, TurnError};
use crate::session::Session;

impl Runtime {
    /// Writes it down, and keeps it, once something is said to the other model.
    pub(super) fn hand_over(&mut self, session: &mut Session) -> Result<(), TurnError> {
        if !session.handed_over {
            return Ok(());
        }
        let prompt = &session.prompt;
        let mut event = Event::new(EventKind::SessionModelChanged)
            .session(&session.id)
            .detail("model", &prompt.settings.model)
            .detail("prompt", prompt.digest().to_string());
        if let Some(earlier) = session.state.earlier.last() {
            event = event.detail("before", &earlier.model);
        }
        self.host.record(&event)?;
        self.store.save(session, (self.clock)())?;
        Ok(())
    }
}
