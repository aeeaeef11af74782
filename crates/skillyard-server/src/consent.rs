//! Questions that wait for the user's answer, over a protocol that keeps nothing.
//!
//! A question has a name that cannot be guessed, belongs to exactly one request, and is answered
//! once. Each token has room for a few, so that no client blocks the others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use skillyard_format::package::Digest;

/// How long a question waits.
pub(crate) const QUESTION_TIMEOUT: Duration = Duration::from_mins(10);
/// How many questions of one token wait at once.
const MAX_WAITING: usize = 16;

/// The question cannot get a random name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no randomness")]
pub(crate) struct Nameless;

/// The questions that wait.
#[derive(Default)]
pub(crate) struct Consents {
    waiting: Mutex<HashMap<String, PendingQuestion>>,
}

struct PendingQuestion {
    request: Digest,
    asked: Instant,
    /// Whose it is.
    token: String,
}

impl Consents {
    /// Remembers a question of a token about a request; gives its name. The oldest of the same token
    /// gives way where there are many.
    pub(crate) fn ask(&self, token: &str, request: Digest) -> Result<String, Nameless> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| Nameless)?;
        let name = hex::encode(bytes);
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, question| question.asked.elapsed() < QUESTION_TIMEOUT);
        let own = || waiting.iter().filter(|(_, each)| each.token == token);
        let oldest = own().min_by_key(|(_, each)| each.asked);
        let oldest = oldest.filter(|_| own().count() >= MAX_WAITING);
        if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
            waiting.remove(&oldest);
        }
        let question = PendingQuestion {
            request,
            asked: Instant::now(),
            token: token.to_owned(),
        };
        waiting.insert(name.clone(), question);
        Ok(name)
    }

    /// Whether this is the name of a question about exactly this request; it is asked no more.
    pub(crate) fn take(&self, name: &str, request: Digest) -> bool {
        let mut waiting = self.waiting.lock();
        let found = waiting.remove(name);
        found.is_some_and(|it| it.request == request && it.asked.elapsed() < QUESTION_TIMEOUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_for_one_request_once() {
        let consents = Consents::default();
        let (this, other) = (Digest::of(b"this"), Digest::of(b"other"));
        let name = consents.ask("run", this).unwrap();
        assert!(!consents.take("guessed", this));
        assert!(consents.take(&name, this) && !consents.take(&name, this));
        let name = consents.ask("run", this).unwrap();
        assert!(!consents.take(&name, other) && !consents.take(&name, this));
    }

    #[test]
    fn many_questions_of_one_token_push_out_its_own_alone() {
        let consents = Consents::default();
        let this = Digest::of(b"this");
        let of_another = consents.ask("another", this).unwrap();
        let names: Vec<String> = (0..300)
            .map(|_| consents.ask("one", this).unwrap())
            .collect();
        let (old, new) = names.split_at(names.len() - MAX_WAITING);
        assert!(old.iter().all(|name| !consents.take(name, this)));
        assert!(new.iter().all(|name| consents.take(name, this)));
        assert!(consents.take(&of_another, this));
    }
}
