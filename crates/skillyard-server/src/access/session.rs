//! Logins of browsers: a random value in a cookie stands for the token that was given.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::{Holder, Tokens};

/// The cookie's name.
pub(crate) const COOKIE: &str = "skillyard";
/// How long a login lasts.
const LIFETIME: Duration = Duration::from_hours(12);
/// How many logins are kept.
const MOST: usize = 1_000;

/// The logins.
#[derive(Default)]
pub(crate) struct Sessions {
    known: Mutex<HashMap<[u8; 32], (Holder, Instant)>>,
}

impl Sessions {
    /// Logs in with a token; gives the value of the cookie.
    pub(crate) fn login(&self, tokens: &Tokens, token: &str) -> Option<String> {
        let holder = tokens.holder(token)?;
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        let value = hex::encode(bytes);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, since)| since.elapsed() < LIFETIME);
        if known.len() >= MOST {
            let oldest = known.iter().min_by_key(|(_, (_, since))| *since);
            let oldest = oldest.map(|(key, _)| *key);
            oldest.map(|key| known.remove(&key));
        }
        known.insert(key(&value), (holder, Instant::now()));
        Some(value)
    }

    /// Who logged in with a cookie, as long as their token holds.
    pub(super) fn holder(&self, tokens: &Tokens, value: &str) -> Option<Holder> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (holder, since) = known.get(&key(value))?;
        (since.elapsed() < LIFETIME && tokens.has(holder)).then(|| holder.clone())
    }

    /// Ends a login.
    pub(crate) fn logout(&self, value: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&key(value));
    }
}

/// Values are looked up by their hash, so that the time of a comparison tells nothing.
fn key(value: &str) -> [u8; 32] {
    Sha256::digest(value.as_bytes()).into()
}
