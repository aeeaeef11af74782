//! The number of the last change, asked for once by all who ask at the same time.
//!
//! What is kept in memory holds until the next change, here or on another node, so every request
//! has to know that number. Requests that come while somebody looks share the next look: none of
//! them gets a number older than itself, and many of them cost the database one question.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

use crate::database::{Database, DatabaseError};

/// Looks at the number of the last change.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    begun: AtomicU64,
    last: Mutex<Look>,
}

/// The look that was finished last.
#[derive(Debug, Default)]
struct Look {
    place: u64,
    sequence: i64,
}

impl Looks {
    /// The number of the last change, as it was at some moment after this call.
    pub(crate) async fn sequence(&self, database: &Database) -> Result<i64, DatabaseError> {
        // A look that began before would not do: a change may have been made since.
        let wanted = self.begun.load(Ordering::SeqCst) + 1;
        let mut last = self.last.lock().await;
        if last.place >= wanted {
            return Ok(last.sequence);
        }
        let place = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let sequence = database.sequence().await?;
        *last = Look { place, sequence };
        Ok(sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn whoever_asks_after_a_change_sees_it_however_many_ask() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("registry.db").display());
        let database = Database::open(&address).await.unwrap();
        let looks = Arc::new(Looks::default());
        for _ in 0..20 {
            let (change, number) = database.change().await.unwrap();
            change.commit().await.unwrap();
            let asking = (0..50).map(|_| {
                let (looks, database) = (Arc::clone(&looks), database.clone());
                tokio::spawn(async move { looks.sequence(&database).await.unwrap() })
            });
            for asked in asking.collect::<Vec<_>>() {
                assert_eq!(asked.await.unwrap(), number);
            }
        }
        let looked = looks.begun.load(Ordering::SeqCst);
        assert!(looked < 20 * 50, "{looked} looks");
    }
}
