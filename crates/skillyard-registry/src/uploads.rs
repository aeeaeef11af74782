//! How many uploads are held in memory at once, of all and of each account; others wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::RegistryError;

/// How many of all.
const MOST: usize = 32;
/// How many of one account, so that a slow one keeps nobody else waiting.
const EACH: usize = 4;

/// Places for uploads.
#[derive(Debug)]
pub(crate) struct Uploads {
    all: Arc<Semaphore>,
    each: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A place for one upload, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Default for Uploads {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MOST)),
            each: Mutex::default(),
        }
    }
}

impl Uploads {
    /// Waits for a place.
    pub(crate) async fn place(&self, account: &str) -> Result<Place, RegistryError> {
        // Who waits for their own places takes none of all.
        let own = self.of(account).acquire_owned().await;
        let all = Arc::clone(&self.all).acquire_owned().await;
        Ok(Place {
            _own: own.map_err(RegistryError::internal)?,
            _all: all.map_err(RegistryError::internal)?,
        })
    }

    fn of(&self, account: &str) -> Arc<Semaphore> {
        let mut each = self.each.lock().unwrap_or_else(PoisonError::into_inner);
        each.retain(|_, places| Arc::strong_count(places) > 1);
        let places = each.entry(account.to_owned());
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(EACH))))
    }
}
