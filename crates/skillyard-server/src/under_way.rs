//! What takes a while and a thread of its own: scripts, calls of other servers' tools, installations.
//!
//! There are so many at once, and nobody has them all. Each is told to stop when nobody waits for it
//! any more, or when the server ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::http::StatusCode;

use crate::access::Holder;
use crate::chat::{Seat, Seats};
use crate::problem::Problem;

/// How many there are at once, of all and of one token.
const MOST: (usize, usize) = (64, 32);

/// Everything that is under way.
pub(crate) struct UnderWay {
    seats: Arc<Seats>,
    works: Mutex<Works>,
}

#[derive(Default)]
struct Works {
    has_ended: bool,
    /// How each is told to stop.
    stops: Vec<Weak<AtomicBool>>,
}

/// Held by who waits for a work: it stops when this is dropped.
pub(crate) struct Awaited(Arc<AtomicBool>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Held by a work until it is done.
pub(crate) struct Work {
    stop: Arc<AtomicBool>,
    _seat: Seat,
}

impl Work {
    /// Becomes true when it is to stop.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl UnderWay {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        let full = "too many scripts and calls are under way already; try again later";
        Self {
            seats: Seats::new(MOST.0, MOST.1, full),
            works: Mutex::default(),
        }
    }

    /// Begins a work of somebody, if there is room for it.
    pub(crate) fn begin(&self, holder: &Holder) -> Result<(Awaited, Work), Problem> {
        let seat = self.seats.take(holder)?;
        let mut works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        if works.has_ended {
            return Err(ending());
        }
        let stop = Arc::new(AtomicBool::new(false));
        works.stops.retain(|each| each.strong_count() > 0);
        works.stops.push(Arc::downgrade(&stop));
        let awaited = Awaited(Arc::clone(&stop));
        Ok((awaited, Work { stop, _seat: seat }))
    }

    /// Stops everything; nothing begins any more.
    pub(crate) fn close(&self) {
        let mut works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        works.has_ended = true;
        for stop in works.stops.drain(..).filter_map(|each| each.upgrade()) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// What is said to who wants something that would not be finished.
pub(crate) fn ending() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is ending")
}
