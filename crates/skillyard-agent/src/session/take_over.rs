//! The sessions of one store in another, such as those of a file in a database that machines share.

use serde::Serialize;

use super::SessionError;
use super::store::SessionStore;

/// What became of the sessions of another store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TakenOver {
    /// How many were copied.
    pub copied: usize,
    /// How many were there already.
    pub known: usize,
    /// Those that somebody is at work on.
    pub in_use: Vec<String>,
    /// Those that cannot be understood.
    pub damaged: Vec<String>,
}

impl SessionStore {
    /// Copies the sessions of another store, with their names and times. What is here already stays as
    /// it is, so that it can be done again; nothing is taken away there.
    pub fn take_over(&self, other: &Self) -> Result<TakenOver, SessionError> {
        let mut taken = TakenOver::default();
        for summary in other.list(usize::MAX)? {
            let id = summary.id;
            if self.length(&id)?.is_some() {
                taken.known += 1;
                continue;
            }
            if other.is_in_use(&id)? {
                taken.in_use.push(id);
                continue;
            }
            let mut session = match other.load(&id) {
                Err(SessionError::Damaged { id, .. }) => {
                    taken.damaged.push(id);
                    continue;
                }
                loaded => loaded?,
            };
            let used = summary.updated.parse().unwrap_or(session.created);
            (session.kept, session.stored) = (0, false);
            match self.save(&mut session, used) {
                Ok(()) => taken.copied += 1,
                // Another machine was quicker.
                Err(SessionError::InUse(_)) => taken.known += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }
}
