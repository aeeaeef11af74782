//! Values that are valid until the next change of the registry, and the number of that change.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use tokio::sync::Mutex;

use crate::database::{Database, DatabaseError};

/// Values by key that are valid for one sequence number of the registry; a newer number drops them.
#[derive(Debug)]
pub(crate) struct VersionedCache<K, V> {
    entries: RwLock<Entries<K, V>>,
    max_bytes: usize,
}

#[derive(Debug)]
struct Entries<K, V> {
    sequence: i64,
    values: HashMap<K, (V, usize)>,
    bytes: usize,
}

impl<K: Eq + Hash, V: Clone> VersionedCache<K, V> {
    /// A cache of at most `max_bytes`.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let entries = Entries {
            sequence: 0,
            values: HashMap::new(),
            bytes: 0,
        };
        Self {
            entries: RwLock::new(entries),
            max_bytes,
        }
    }

    /// The value of a key at a sequence number.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, sequence: i64, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let entries = self.entries.read();
        if entries.sequence != sequence {
            return None;
        }
        entries.values.get(key).map(|(value, _)| value.clone())
    }

    /// Stores a value of `bytes` bytes that was read at a sequence number.
    pub(crate) fn put(&self, sequence: i64, key: K, value: V, bytes: usize) {
        let mut entries = self.entries.write();
        if sequence < entries.sequence || bytes > self.max_bytes {
            return;
        }
        if sequence > entries.sequence {
            entries.values.clear();
            entries.bytes = 0;
            entries.sequence = sequence;
        }
        if entries.bytes + bytes > self.max_bytes {
            entries.shrink(self.max_bytes / 2);
        }
        entries.bytes += bytes;
        if let Some((_, before)) = entries.values.insert(key, (value, bytes)) {
            entries.bytes -= before;
        }
    }
}

impl<K: Eq + Hash, V> Entries<K, V> {
    /// Drops arbitrary values until at most `max_bytes` are left.
    fn shrink(&mut self, max_bytes: usize) {
        let mut left = 0;
        self.values.retain(|_, (_, bytes)| {
            let stays = left + *bytes <= max_bytes;
            if stays {
                left += *bytes;
            }
            stays
        });
        self.bytes = left;
    }
}

/// Reads the sequence number of the last change, once for all who ask at the same time.
///
/// Caches are valid until the next change, on this node or another, so every request needs the
/// number. Requests that arrive during a query share the next one.
#[derive(Debug, Default)]
pub(crate) struct ChangeSequence {
    started: AtomicU64,
    last: Mutex<LastQuery>,
}

/// The query that completed last.
#[derive(Debug, Default)]
struct LastQuery {
    number: u64,
    sequence: i64,
}

impl ChangeSequence {
    /// The number of the last change, as it was at some moment after this call.
    pub(crate) async fn current(&self, database: &Database) -> Result<i64, DatabaseError> {
        // A query that started earlier may miss a change that was made since.
        let wanted = self.started.load(Ordering::SeqCst) + 1;
        let mut last = self.last.lock().await;
        if last.number >= wanted {
            return Ok(last.sequence);
        }
        let number = self.started.fetch_add(1, Ordering::SeqCst) + 1;
        let sequence = database.sequence().await?;
        *last = LastQuery { number, sequence };
        Ok(sequence)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_change_makes_all_values_old_and_old_values_do_not_come_back() {
        let cache = VersionedCache::new(100);
        cache.put(1, "a", 1, 10);
        assert_eq!(cache.get(1, "a"), Some(1));
        assert_eq!(cache.get(2, "a"), None);
        cache.put(2, "b", 2, 10);
        cache.put(1, "a", 1, 10);
        assert_eq!((cache.get(2, "a"), cache.get(2, "b")), (None, Some(2)));
        assert_eq!(cache.get(1, "b"), None);
    }

    #[test]
    fn there_is_never_more_than_there_is_room_for() {
        let cache = VersionedCache::new(100);
        for key in 0..1_000 {
            cache.put(0, key, key, 1 + key % 30);
            cache.put(0, key, key, 1 + key % 30);
            let entries = cache.entries.read();
            let sum: usize = entries.values.values().map(|(_, bytes)| bytes).sum();
            assert_eq!(entries.bytes, sum);
            assert!(sum <= 100, "{sum}");
        }
        cache.put(0, 5_000, 0, 101);
        assert_eq!(cache.get(0, &5_000), None);
    }

    #[tokio::test]
    async fn whoever_asks_after_a_change_sees_it_however_many_ask() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("registry.db").display());
        let database = Database::open(&address).await.unwrap();
        let sequence = Arc::new(ChangeSequence::default());
        for _ in 0..20 {
            let (change, number) = database.change().await.unwrap();
            change.commit().await.unwrap();
            let asking = (0..50).map(|_| {
                let (sequence, database) = (Arc::clone(&sequence), database.clone());
                tokio::spawn(async move { sequence.current(&database).await.unwrap() })
            });
            for asked in asking.collect::<Vec<_>>() {
                assert_eq!(asked.await.unwrap(), number);
            }
        }
        let queries = sequence.started.load(Ordering::SeqCst);
        assert!(queries < 20 * 50, "{queries} queries");
    }
}
