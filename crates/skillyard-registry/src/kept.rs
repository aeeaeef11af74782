//! Values in memory, as long as they hold and no more than there is room for.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

/// Values by key. All of them hold for one number of change; those of another are forgotten.
#[derive(Debug)]
pub(crate) struct Kept<K, V> {
    held: RwLock<Held<K, V>>,
    /// The most bytes.
    most: usize,
}

#[derive(Debug)]
struct Held<K, V> {
    sequence: i64,
    values: HashMap<K, (V, usize)>,
    bytes: usize,
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// Room for so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        let held = Held {
            sequence: 0,
            values: HashMap::new(),
            bytes: 0,
        };
        Self {
            held: RwLock::new(held),
            most,
        }
    }

    /// The value that holds as of a change.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, sequence: i64, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        if held.sequence != sequence {
            return None;
        }
        held.values.get(key).map(|(value, _)| value.clone())
    }

    /// Keeps a value of so many bytes that was read after looking at the number of the last change.
    pub(crate) fn put(&self, sequence: i64, key: K, value: V, bytes: usize) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if sequence < held.sequence || bytes > self.most {
            return;
        }
        if sequence > held.sequence {
            held.values.clear();
            held.bytes = 0;
            held.sequence = sequence;
        }
        if held.bytes + bytes > self.most {
            held.shrink(self.most / 2);
        }
        held.bytes += bytes;
        if let Some((_, before)) = held.values.insert(key, (value, bytes)) {
            held.bytes -= before;
        }
    }
}

impl<K: Eq + Hash, V> Held<K, V> {
    /// Forgets any values until no more than so many bytes are left; the popular ones come back.
    fn shrink(&mut self, most: usize) {
        let mut left = 0;
        self.values.retain(|_, (_, bytes)| {
            let stays = left + *bytes <= most;
            if stays {
                left += *bytes;
            }
            stays
        });
        self.bytes = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_makes_all_values_old_and_old_values_do_not_come_back() {
        let kept = Kept::new(100);
        kept.put(1, "a", 1, 10);
        assert_eq!(kept.get(1, "a"), Some(1));
        assert_eq!(kept.get(2, "a"), None);
        kept.put(2, "b", 2, 10);
        kept.put(1, "a", 1, 10);
        assert_eq!((kept.get(2, "a"), kept.get(2, "b")), (None, Some(2)));
        assert_eq!(kept.get(1, "b"), None);
    }

    #[test]
    fn there_is_never_more_than_there_is_room_for() {
        let kept = Kept::new(100);
        for key in 0..1_000 {
            kept.put(0, key, key, 1 + key % 30);
            kept.put(0, key, key, 1 + key % 30);
            let held = kept.held.read().unwrap();
            let sum: usize = held.values.values().map(|(_, bytes)| bytes).sum();
            assert_eq!(held.bytes, sum);
            assert!(sum <= 100, "{sum}");
        }
        kept.put(0, 5_000, 0, 101);
        assert_eq!(kept.get(0, &5_000), None);
    }
}
