//! Whether a registry can take what is published: its database and its store of archives are written to.
//!
//! Only a real write tells that a disk is full, or may not be written to. Every client may
//! ask, so one result is reused for a while.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::registry::Registry;

/// How long an answer serves.
const CACHE_TIME: Duration = Duration::from_secs(10);
/// How long each of the two may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// What could be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) database: bool,
    pub(crate) archives: bool,
}

/// The last answer, and when it was found.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Ready)>>);

impl Readiness {
    /// What can be written to, as it was a short while ago.
    pub(crate) async fn of(&self, registry: &Registry) -> Ready {
        // Others wait for the same answer.
        let mut last = self.0.lock().await;
        if let Some((found, ready)) = *last
            && found.elapsed() < CACHE_TIME
        {
            return ready;
        }
        let (database, archives) = tokio::join!(
            timeout(CHECK_TIMEOUT, registry.database.touch()),
            timeout(CHECK_TIMEOUT, registry.blobs.touch()),
        );
        let ready = Ready {
            database: matches!(database, Ok(Ok(()))),
            archives: matches!(archives, Ok(Ok(()))),
        };
        *last = Some((Instant::now(), ready));
        ready
    }
}
