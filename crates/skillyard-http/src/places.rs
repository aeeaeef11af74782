//! Places for connections, and who gives theirs up when there are no more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How long somebody must have been silent before they can lose their place: answers that have
/// left us may still be on their way.
const SILENT: Duration = Duration::from_secs(1);
/// How long to wait before looking again for somebody silent.
const AGAIN: Duration = Duration::from_millis(100);

/// All places.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    taken: Mutex<Taken>,
    left: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    next: u64,
    places: HashMap<u64, State>,
}

#[derive(Debug)]
struct State {
    /// Since when they have been silent; nothing while they are being answered.
    silent: Option<Instant>,
    leave: Arc<Notify>,
}

/// One place, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    number: u64,
    leave: Arc<Notify>,
}

impl Places {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            taken: Mutex::default(),
            left: Notify::new(),
        })
    }

    /// A place, as soon as there is one.
    pub(crate) async fn take(self: &Arc<Self>) -> Place {
        loop {
            if let Some(place) = self.try_take() {
                return place;
            }
            self.ask_to_leave();
            let _ = tokio::time::timeout(AGAIN, self.left.notified()).await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Place> {
        let mut taken = self.lock();
        if taken.places.len() >= self.most {
            return None;
        }
        let (number, leave) = (taken.next, Arc::new(Notify::new()));
        taken.next += 1;
        let state = State {
            silent: Some(Instant::now()),
            leave: Arc::clone(&leave),
        };
        taken.places.insert(number, state);
        drop(taken);
        Some(Place {
            places: Arc::clone(self),
            number,
            leave,
        })
    }

    /// Tells whoever has been silent for longest to leave.
    pub(crate) fn ask_to_leave(&self) {
        let taken = self.lock();
        let silent = taken.places.values().filter_map(|state| {
            let since = state.silent.filter(|since| since.elapsed() >= SILENT)?;
            Some((since, &state.leave))
        });
        if let Some((_, leave)) = silent.min_by_key(|(since, _)| *since) {
            leave.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until the place is needed for somebody else.
    pub(crate) async fn needed(&self) {
        self.leave.notified().await;
    }

    /// From now on they are being answered.
    pub(crate) fn busy(&self) {
        self.set(None);
    }

    /// From now on they are silent.
    pub(crate) fn silent(&self) {
        self.set(Some(Instant::now()));
    }

    /// Whether they are silent.
    pub(crate) fn is_silent(&self) -> bool {
        let taken = self.places.lock();
        let state = taken.places.get(&self.number);
        state.is_none_or(|state| state.silent.is_some())
    }

    fn set(&self, silent: Option<Instant>) {
        if let Some(state) = self.places.lock().places.get_mut(&self.number) {
            state.silent = silent;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().places.remove(&self.number);
        self.places.left.notify_one();
    }
}
