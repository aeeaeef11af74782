//! Changes and uploads in progress.
//!
//! A change is recorded once it is complete. If it ended with its connection, a client that
//! disconnects in time would change something that no audit log has.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, RwLock, Semaphore};

use crate::error::RegistryError;

/// The most uploads in memory at once; others wait.
const MAX_UPLOADS: usize = 32;
/// The most uploads of one account, so that slow uploads do not block other accounts.
const MAX_UPLOADS_EACH: usize = 4;

/// Changes in progress; each holds the lock for reading.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Arc<RwLock<()>>);

impl InFlight {
    /// Runs `work` to its end in a task of its own, even if its client disconnects.
    pub(crate) async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, RegistryError> {
        let guard = Arc::clone(&self.0).read_owned().await;
        let task = tokio::spawn(async move {
            let done = work.await;
            drop(guard);
            done
        });
        task.await.map_err(RegistryError::internal)
    }

    /// Waits until nothing is in progress any more, at most for `timeout`.
    pub(crate) async fn done(&self, timeout: Duration) {
        let _ = tokio::time::timeout(timeout, self.0.write()).await;
    }
}

/// Limits how many uploads are in memory at once.
#[derive(Debug)]
pub(crate) struct UploadLimiter {
    all: Arc<Semaphore>,
    each: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// Permission for one upload, until it is dropped.
#[derive(Debug)]
pub(crate) struct UploadPermit {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Default for UploadLimiter {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MAX_UPLOADS)),
            each: Mutex::default(),
        }
    }
}

impl UploadLimiter {
    /// Waits until another upload may begin.
    pub(crate) async fn acquire(&self, account: &str) -> Result<UploadPermit, RegistryError> {
        // The own permit first: an account that waits for it holds none of all.
        let own = self.of(account).acquire_owned().await;
        let all = Arc::clone(&self.all).acquire_owned().await;
        Ok(UploadPermit {
            _own: own.map_err(RegistryError::internal)?,
            _all: all.map_err(RegistryError::internal)?,
        })
    }

    fn of(&self, account: &str) -> Arc<Semaphore> {
        let mut each = self.each.lock();
        each.retain(|_, permits| Arc::strong_count(permits) > 1);
        let permits = each.entry(account.to_owned());
        Arc::clone(permits.or_insert_with(|| Arc::new(Semaphore::new(MAX_UPLOADS_EACH))))
    }
}
