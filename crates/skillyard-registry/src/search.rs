//! Search over all skills, in memory, built from the database whenever that has changed, and every few
//! minutes, because downloads are counted without a change.
//!
//! In memory are names, words and what skills are filtered by; pages read the rest from the database.
//! A large registry keeps answering from the last snapshot while the next one is built.

mod columns;
mod snapshot;

use std::sync::Arc;
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use parking_lot::RwLock;
pub use snapshot::{SearchHits, SearchSnapshot};
use tokio::sync::{Mutex, mpsc};

use crate::cache::ChangeSequence;
use crate::database::Database;
use crate::error::RegistryError;
use crate::store::listing;

/// Up to so many skills a new picture is quicker than anybody would notice.
const MAX_SYNC_SKILLS: usize = 2_000;

/// How old a picture may be: how often skills are fetched is no change that would lead to another.
const MAX_AGE: SignedDuration = SignedDuration::from_mins(5);

/// How many batches of rows may wait to be taken into a picture.
const MAX_BATCHES: usize = 4;

/// The last picture, and who is making the next one.
#[derive(Debug, Default)]
pub(crate) struct Search {
    change_sequence: ChangeSequence,
    picture: RwLock<Option<Arc<SearchSnapshot>>>,
    making: Arc<Mutex<()>>,
}

impl Search {
    /// The picture to answer from.
    pub(crate) async fn picture(
        self: &Arc<Self>,
        database: &Database,
        now: Timestamp,
    ) -> Result<Arc<SearchSnapshot>, RegistryError> {
        let current = self.current();
        let sequence = self.change_sequence.current(database).await?;
        let will_do = |picture: &SearchSnapshot| {
            picture.sequence >= sequence && now.duration_since(picture.time).abs() < MAX_AGE
        };
        match current {
            Some(picture) if will_do(&picture) => Ok(picture),
            Some(picture) if picture.len() > MAX_SYNC_SKILLS => {
                // One is enough to make it; the others answer from what is there.
                if picture.has_rested()
                    && let Ok(guard) = Arc::clone(&self.making).try_lock_owned()
                {
                    let (search, database) = (Arc::clone(self), database.clone());
                    tokio::spawn(async move {
                        // Who asks next tries again.
                        let _ = search.make(&database, now).await;
                        drop(guard);
                    });
                }
                Ok(picture)
            }
            _ => {
                let _guard = self.making.lock().await;
                match self.current() {
                    Some(picture) if will_do(&picture) => Ok(picture),
                    _ => self.make(database, now).await,
                }
            }
        }
    }

    fn current(&self) -> Option<Arc<SearchSnapshot>> {
        self.picture.read().clone()
    }

    async fn make(
        &self,
        database: &Database,
        now: Timestamp,
    ) -> Result<Arc<SearchSnapshot>, RegistryError> {
        // Read before the skills, so that a change in between leads to another picture.
        let start = Instant::now();
        let sequence = database.sequence().await?;
        // Rows are taken in as they come: all of them at once would need many times the room of
        // what is kept.
        let (sender, mut batches) = mpsc::channel(MAX_BATCHES);
        let making = tokio::task::spawn_blocking(move || {
            let batches = std::iter::from_fn(|| batches.blocking_recv());
            SearchSnapshot::new((sequence, now), batches.flatten(), start)
        });
        let read = listing::send_all(database, sender).await;
        let made = Arc::new(making.await.map_err(RegistryError::internal)?);
        read?;
        *self.picture.write() = Some(Arc::clone(&made));
        Ok(made)
    }
}

/// How results are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The best match first; without words, by name.
    #[default]
    Relevance,
    /// By name.
    Name,
    /// The most fetched first.
    Downloads,
    /// The last published first.
    Updated,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    /// Words, or none for everything.
    pub words: String,
    /// Only this owner's.
    pub owner: Option<String>,
    /// Only with this licence.
    pub license: Option<String>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only with scripts, or only without.
    pub scripts: Option<bool>,
    /// Only what somebody signed, or only what nobody did.
    pub signed: Option<bool>,
    /// Only with this verdict of the scanner.
    pub verdict: Option<String>,
    /// The order.
    pub sort: Sort,
    /// How many to leave out at the start.
    pub offset: usize,
    /// The most that are wanted.
    pub limit: usize,
}
