//! Questions that wait for the user's answer, over a protocol that keeps nothing.
//!
//! A question has a name that cannot be guessed, belongs to exactly one request, and is answered
//! once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use skillyard_format::package::Digest;

/// How long a question waits.
const PATIENCE: Duration = Duration::from_mins(10);
/// How many questions wait at once.
const MOST: usize = 256;

/// Why nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unasked {
    /// The question has no name.
    #[error("there is no randomness")]
    Nameless,
    /// Too many wait already.
    #[error("too many questions wait")]
    Full,
}

/// The questions that wait.
#[derive(Default)]
pub(crate) struct Consents {
    waiting: Mutex<HashMap<String, (Digest, Instant)>>,
}

impl Consents {
    /// Remembers a question about a request; gives its name.
    pub(crate) fn ask(&self, request: Digest) -> Result<String, Unasked> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| Unasked::Nameless)?;
        let name = hex::encode(bytes);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, (_, asked)| asked.elapsed() < PATIENCE);
        if waiting.len() >= MOST {
            return Err(Unasked::Full);
        }
        waiting.insert(name.clone(), (request, Instant::now()));
        Ok(name)
    }

    /// Whether this is the name of a question about exactly this request; it is asked no more.
    pub(crate) fn take(&self, name: &str, request: Digest) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let found = waiting.remove(name);
        found.is_some_and(|(about, asked)| about == request && asked.elapsed() < PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_for_one_request_once() {
        let consents = Consents::default();
        let (this, other) = (Digest::of(b"this"), Digest::of(b"other"));
        let name = consents.ask(this).unwrap();
        assert!(!consents.take("guessed", this));
        assert!(consents.take(&name, this) && !consents.take(&name, this));
        let name = consents.ask(this).unwrap();
        assert!(!consents.take(&name, other) && !consents.take(&name, this));
    }
}
