//! Search over all skills, in memory, built from the database whenever that has changed,
//! and every few minutes, because downloads are counted without a change.
//!
//! In memory are names, words and what skills are chosen by; what a page tells of them is read from
//! the database. A registry of many skills goes on answering from the last picture while the next
//! one is made.

mod columns;
mod interned;
mod picture;
mod question;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, mpsc};

use crate::database::Database;
use crate::error::RegistryError;
use crate::look::Looks;
use crate::registry::Registry;
use crate::store::listing;
use crate::store::skills::{self, SkillRow};

pub use picture::{Found, Picture};
pub use question::{Question, Sort};

/// Up to so many skills a new picture is quicker than anybody would notice.
const SMALL: usize = 2_000;

/// How old a picture may be: how often skills are fetched is no change that would lead to another.
const OLD: SignedDuration = SignedDuration::from_mins(5);

/// How many batches of rows may wait to be taken into a picture.
const WAITING: usize = 4;

/// The last picture, and who is making the next one.
#[derive(Debug, Default)]
pub(crate) struct Search {
    looks: Looks,
    picture: RwLock<Option<Arc<Picture>>>,
    making: Arc<Mutex<()>>,
}

impl Search {
    /// The picture to answer from.
    pub(crate) async fn picture(
        self: &Arc<Self>,
        database: &Database,
        now: Timestamp,
    ) -> Result<Arc<Picture>, RegistryError> {
        let current = self.current();
        let sequence = self.looks.sequence(database).await?;
        let will_do = |picture: &Picture| {
            picture.sequence >= sequence && now.duration_since(picture.time).abs() < OLD
        };
        match current {
            Some(picture) if will_do(&picture) => Ok(picture),
            Some(picture) if picture.len() > SMALL => {
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

    fn current(&self) -> Option<Arc<Picture>> {
        self.picture
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn make(
        &self,
        database: &Database,
        now: Timestamp,
    ) -> Result<Arc<Picture>, RegistryError> {
        // Read before the skills, so that a change in between leads to another picture.
        let start = Instant::now();
        let sequence = database.sequence().await?;
        // Rows are taken in as they come: all of them at once would need many times the room of
        // what is kept.
        let (sender, mut batches) = mpsc::channel(WAITING);
        let making = tokio::task::spawn_blocking(move || {
            let batches = std::iter::from_fn(|| batches.blocking_recv());
            Picture::new((sequence, now), batches.flatten(), start)
        });
        let read = listing::send_all(database, sender).await;
        let made = Arc::new(making.await.map_err(RegistryError::internal)?);
        read?;
        *self.picture.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Registry {
    /// The picture to answer from; the first one is made when it is first asked for.
    pub async fn picture(&self) -> Result<Arc<Picture>, RegistryError> {
        self.search.picture(&self.database, self.now()).await
    }

    /// What was found, as the database has it now.
    pub(crate) async fn rows(&self, found: &Found<'_>) -> Result<Vec<SkillRow>, RegistryError> {
        Ok(skills::named(&self.database, &found.names).await?)
    }
}
