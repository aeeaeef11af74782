//! Servers that did not answer, however often they were asked: another request to one of them is
//! made once.
//!
//! Whoever asks for thirty skills of a server that is away would wait thirty times as long as for
//! one, and be told the same.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use url::{Origin, Url};

use super::client::Http;
use super::error::HttpError;

/// The servers that were asked in vain.
#[derive(Debug, Default)]
pub(super) struct UnresponsiveServers(Mutex<HashSet<Origin>>);

impl UnresponsiveServers {
    fn with<T>(&self, act: impl FnOnce(&mut HashSet<Origin>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Http {
    /// Makes a request as often as its server is worth it.
    pub(super) fn persist<T>(
        &self,
        url: &Url,
        mut attempt: impl FnMut() -> Result<T, HttpError>,
    ) -> Result<T, HttpError> {
        let server = url.origin();
        let result = if self.silent.with(|servers| servers.contains(&server)) {
            attempt()
        } else {
            self.settings.retry.run(attempt)
        };
        self.silent.with(|servers| match &result {
            Err(HttpError::Connect { .. } | HttpError::Timeout { .. }) => servers.insert(server),
            // It may have been started again.
            _ => servers.remove(&server),
        });
        result
    }
}
