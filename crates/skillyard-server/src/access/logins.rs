//! Logins of browsers: a random value in a cookie stands for the token that was given.

use std::collections::HashMap;

use parking_lot::Mutex;
use skillyard_http::login::{LIFETIME, draw, key};
use tokio::sync::watch;
use tokio::time::Instant;

use super::{Holder, Tokens};

/// How many logins are kept.
const MAX_LOGINS: usize = 1_000;

/// The logins.
#[derive(Default)]
pub(crate) struct Logins {
    known: Mutex<HashMap<[u8; 32], Login>>,
}

/// A login that holds.
struct Login {
    holder: Holder,
    since: Instant,
    /// Dropped with the login, which ends streams that were opened with it.
    held: watch::Sender<()>,
}

impl Logins {
    /// Logs in with a token; gives the value of the cookie.
    pub(crate) fn login(&self, tokens: &Tokens, token: &str) -> Option<String> {
        let holder = tokens.holder(token)?;
        let value = draw().ok()?;
        let mut known = self.known.lock();
        known.retain(|_, login| login.since.elapsed() < LIFETIME);
        if known.len() >= MAX_LOGINS {
            let oldest = known.iter().min_by_key(|(_, login)| login.since);
            let oldest = oldest.map(|(key, _)| *key);
            oldest.map(|key| known.remove(&key));
        }
        let login = Login {
            holder,
            since: Instant::now(),
            held: watch::Sender::new(()),
        };
        known.insert(key(&value), login);
        Some(value)
    }

    /// Who logged in with a cookie, as long as their token holds.
    pub(crate) fn holder(&self, tokens: &Tokens, value: &str) -> Option<Holder> {
        let known = self.known.lock();
        let login = known.get(&key(value))?;
        (login.since.elapsed() < LIFETIME && tokens.has(&login.holder))
            .then(|| login.holder.clone())
    }

    /// Is done when a login has ended: by its user, with its time, or because it made room.
    pub(crate) fn ended(&self, value: &str) -> impl Future<Output = ()> + Send + 'static {
        let known = self.known.lock();
        let login = known.get(&key(value));
        let login = login.map(|login| (login.held.subscribe(), login.since + LIFETIME));
        async move {
            if let Some((mut held, end)) = login {
                let gone = async { while held.changed().await.is_ok() {} };
                let _ = tokio::time::timeout_at(end, gone).await;
            }
        }
    }

    /// Ends a login.
    pub(crate) fn logout(&self, value: &str) {
        let mut known = self.known.lock();
        known.remove(&key(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn a_login_ends_with_its_time() {
        let token = "0123456789abcdef01234567";
        let tokens = Tokens::parse(&format!("chat {token}")).unwrap();
        let logins = Logins::default();
        let value = logins.login(&tokens, token).unwrap();
        assert!(logins.holder(&tokens, &value).is_some());
        let start = Instant::now();
        logins.ended(&value).await;
        assert!(start.elapsed() >= LIFETIME, "{:?}", start.elapsed());
        assert!(logins.holder(&tokens, &value).is_none());
        let start = Instant::now();
        logins.ended("another").await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
