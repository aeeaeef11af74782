//! When a request is tried again.
//!
//! Only requests that change nothing are made here, so each may be repeated.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::error::HttpError;

/// Hears why a request is tried again, and after which pause.
pub type RetryNotice = Arc<dyn Fn(&HttpError, Duration) + Send + Sync>;

/// How often a request is tried again, and when.
#[derive(Clone)]
pub struct Retry {
    /// The pause before each further try.
    pub pauses: Vec<Duration>,
    /// The longest pause a server may ask for; with a longer one, the request fails at once.
    pub longest_wait: Duration,
    /// What waits.
    pub sleep: Arc<dyn Fn(Duration) + Send + Sync>,
    /// Who is told.
    pub told: RetryNotice,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            pauses: [300, 1000, 3000].map(Duration::from_millis).to_vec(),
            longest_wait: Duration::from_secs(30),
            sleep: Arc::new(thread::sleep),
            told: Arc::new(|_, _| {}),
        }
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("pauses", &self.pauses)
            .finish_non_exhaustive()
    }
}

impl Retry {
    /// Runs `attempt` until it succeeds, fails for good, or was tried often enough.
    pub(super) fn run<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, HttpError>,
    ) -> Result<T, HttpError> {
        let mut pauses = self.pauses.iter();
        loop {
            let error = match attempt() {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let pause = pauses
                .next()
                .and_then(|pause| self.pause_after(&error, *pause));
            let Some(pause) = pause else {
                return Err(error);
            };
            (self.told)(&error, pause);
            (self.sleep)(pause);
        }
    }

    /// How long to wait after an error, if it is worth another try.
    fn pause_after(&self, error: &HttpError, pause: Duration) -> Option<Duration> {
        match error {
            HttpError::Connect { .. }
            | HttpError::Timeout { .. }
            | HttpError::Interrupted { .. }
            | HttpError::Status {
                status: 500 | 502 | 503 | 504,
                ..
            }
            | HttpError::RateLimited {
                status: 429,
                wait: None,
                ..
            } => Some(pause),
            HttpError::RateLimited {
                wait: Some(wait), ..
            } => (*wait <= self.longest_wait).then_some(pause.max(*wait)),
            _ => None,
        }
    }
}
