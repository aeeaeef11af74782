//! Whether a registry can take what is published: its database and its store of archives are written to.
//!
//! Only a real write tells that a disk is full, or may not be written to. Anybody may ask, so that one
//! answer serves all who ask within a while, and nobody writes more by asking more often.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::registry::Registry;

/// How long an answer serves.
const SERVES: Duration = Duration::from_secs(10);
/// How long each of the two may take.
const PATIENCE: Duration = Duration::from_secs(5);

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
            && found.elapsed() < SERVES
        {
            return ready;
        }
        let (database, archives) = tokio::join!(
            timeout(PATIENCE, registry.database.touch()),
            timeout(PATIENCE, registry.blobs.touch()),
        );
        let ready = Ready {
            database: matches!(database, Ok(Ok(()))),
            archives: matches!(archives, Ok(Ok(()))),
        };
        *last = Some((Instant::now(), ready));
        ready
    }
}
