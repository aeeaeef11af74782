//! How many things are under way at once, of all and of each: one token does not take every permit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use axum::http::StatusCode;
use parking_lot::{Mutex, MutexGuard};

use crate::access::Holder;
use crate::problem::Problem;

/// How many limiter wait for a person for each that does not.
const MAX_WAITING_FACTOR: usize = 8;

/// Limits how much runs at the same time, in all and for each token.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimiter {
    /// What is said when there is none.
    full: &'static str,
    /// How many there are.
    most: usize,
    /// How many of them one token has, or the user of this machine.
    each: usize,
    usage: Mutex<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
    /// By whom, those included that wait.
    by: HashMap<String, usize>,
    /// How many wait for a person.
    waiting: usize,
}

impl Usage {
    fn all(&self) -> usize {
        self.by.values().sum()
    }
}

impl ConcurrencyLimiter {
    /// So many limiter, and so many for each.
    pub(crate) fn new(most: usize, each: usize, full: &'static str) -> Arc<Self> {
        Arc::new(Self {
            full,
            most,
            each,
            usage: Mutex::default(),
        })
    }

    /// Takes a permit until it is dropped.
    pub(crate) fn acquire(self: &Arc<Self>, holder: &Holder) -> Result<ConcurrencyPermit, Problem> {
        let mut guard = self.usage();
        let taken = &mut *guard;
        let all = taken.all();
        let own = taken.by.entry(holder.name.clone()).or_default();
        let is_full = *own >= self.each;
        if is_full || all - taken.waiting >= self.most || all >= self.most * MAX_WAITING_FACTOR {
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, self.full));
        }
        *own += 1;
        Ok(ConcurrencyPermit {
            limiter: Arc::clone(self),
            name: holder.name.clone(),
        })
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock()
    }
}

/// A place that somebody has.
#[derive(Debug)]
pub(crate) struct ConcurrencyPermit {
    limiter: Arc<ConcurrencyLimiter>,
    name: String,
}

impl ConcurrencyPermit {
    /// Waits for a person; others may have the permit meanwhile.
    pub(crate) fn while_waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.limiter.usage().waiting += 1;
        let _waiting = Waiting(&self.limiter);
        wait()
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        let mut taken = self.limiter.usage();
        if let Some(own) = taken.by.get_mut(&self.name) {
            *own -= 1;
        }
        taken.by.retain(|_, own| *own > 0);
    }
}

struct Waiting<'a>(&'a ConcurrencyLimiter);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.usage().waiting -= 1;
    }
}

/// How many there are at once, of all and of one token.
const MAX_TASKS: (usize, usize) = (64, 32);

/// Everything that is under way.
pub(crate) struct BackgroundTasks {
    limiter: Arc<ConcurrencyLimiter>,
    tasks: Mutex<RunningTasks>,
}

#[derive(Default)]
struct RunningTasks {
    has_ended: bool,
    /// How each is told to stop.
    stops: Vec<Weak<AtomicBool>>,
}

/// Held by who waits for a task: it stops when this is dropped.
pub(crate) struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Held by a task until it is done.
pub(crate) struct BackgroundTask {
    stop: Arc<AtomicBool>,
    _seat: ConcurrencyPermit,
}

impl BackgroundTask {
    /// Becomes true when it is to stop.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl BackgroundTasks {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        let full = "too many scripts and calls are under way already; try again later";
        Self {
            limiter: ConcurrencyLimiter::new(MAX_TASKS.0, MAX_TASKS.1, full),
            tasks: Mutex::default(),
        }
    }

    /// Begins a task of somebody, if there is room for it.
    pub(crate) fn begin(&self, holder: &Holder) -> Result<(CancelOnDrop, BackgroundTask), Problem> {
        let permit = self.limiter.acquire(holder)?;
        let mut tasks = self.tasks.lock();
        if tasks.has_ended {
            return Err(ending());
        }
        let stop = Arc::new(AtomicBool::new(false));
        tasks.stops.retain(|each| each.strong_count() > 0);
        tasks.stops.push(Arc::downgrade(&stop));
        let awaited = CancelOnDrop(Arc::clone(&stop));
        Ok((
            awaited,
            BackgroundTask {
                stop,
                _seat: permit,
            },
        ))
    }

    /// Stops everything; nothing begins any more.
    pub(crate) fn close(&self) {
        let mut tasks = self.tasks.lock();
        tasks.has_ended = true;
        for stop in tasks.stops.drain(..).filter_map(|each| each.upgrade()) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// What is said to who wants something that would not be finished.
pub(crate) fn ending() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is ending")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Role;

    fn holder(name: &str) -> Holder {
        Holder {
            role: Role::Chat,
            name: name.to_owned(),
        }
    }

    #[test]
    fn nobody_has_all_places() {
        let limiter = ConcurrencyLimiter::new(3, 2, "full");
        let (one, two) = (holder("one"), holder("two"));
        let mut taken: Vec<ConcurrencyPermit> =
            (0..2).map(|_| limiter.acquire(&one).unwrap()).collect();
        assert!(limiter.acquire(&one).is_err());
        taken.push(limiter.acquire(&two).unwrap());
        assert!(limiter.acquire(&two).is_err(), "there are three");
        taken.remove(0);
        assert!(limiter.acquire(&one).is_ok());
        drop(taken);
        assert!(limiter.usage().by.is_empty());
    }

    #[test]
    fn who_waits_for_a_person_keeps_nobody_else_waiting() {
        let limiter = ConcurrencyLimiter::new(2, 2, "full");
        let (one, two) = (holder("one"), holder("two"));
        let first = limiter.acquire(&one).unwrap();
        let _second = limiter.acquire(&one).unwrap();
        assert!(limiter.acquire(&two).is_err());
        first.while_waiting(|| {
            assert!(limiter.acquire(&two).is_ok());
            assert!(limiter.acquire(&one).is_err(), "two are one's own");
        });
        assert!(limiter.acquire(&two).is_err());
    }
}
