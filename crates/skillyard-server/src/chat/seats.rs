//! How many things are under way at once, of all and of each: one token does not take every seat.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;

use crate::access::Holder;
use crate::problem::Problem;

/// How many seats wait for a person for each that does not.
const PATIENT: usize = 8;

/// Seats for things that are under way.
#[derive(Debug)]
pub(crate) struct Seats {
    /// What is said when there is none.
    full: &'static str,
    /// How many there are.
    most: usize,
    /// How many of them one token has, or the user of this machine.
    each: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// By whom, those included that wait.
    by: HashMap<String, usize>,
    /// How many wait for a person.
    waiting: usize,
}

impl Taken {
    fn all(&self) -> usize {
        self.by.values().sum()
    }
}

impl Seats {
    /// So many seats, and so many for each.
    pub(crate) fn new(most: usize, each: usize, full: &'static str) -> Arc<Self> {
        Arc::new(Self {
            full,
            most,
            each,
            taken: Mutex::default(),
        })
    }

    /// Takes a seat until it is dropped.
    pub(crate) fn take(self: &Arc<Self>, holder: &Holder) -> Result<Seat, Problem> {
        let mut guard = self.taken();
        let taken = &mut *guard;
        let all = taken.all();
        let own = taken.by.entry(holder.name.clone()).or_default();
        let is_full = *own >= self.each;
        if is_full || all - taken.waiting >= self.most || all >= self.most * PATIENT {
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, self.full));
        }
        *own += 1;
        Ok(Seat {
            seats: Arc::clone(self),
            name: holder.name.clone(),
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place that somebody has.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    name: String,
}

impl Seat {
    /// Waits for a person; others may have the seat meanwhile.
    pub(crate) fn while_waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.seats.taken().waiting += 1;
        let _waiting = Waiting(&self.seats);
        wait()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
        if let Some(own) = taken.by.get_mut(&self.name) {
            *own -= 1;
        }
        taken.by.retain(|_, own| *own > 0);
    }
}

struct Waiting<'a>(&'a Seats);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.taken().waiting -= 1;
    }
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
        let seats = Seats::new(3, 2, "full");
        let (one, two) = (holder("one"), holder("two"));
        let mut taken: Vec<Seat> = (0..2).map(|_| seats.take(&one).unwrap()).collect();
        assert!(seats.take(&one).is_err());
        taken.push(seats.take(&two).unwrap());
        assert!(seats.take(&two).is_err(), "there are three");
        taken.remove(0);
        assert!(seats.take(&one).is_ok());
        drop(taken);
        assert!(seats.taken().by.is_empty());
    }

    #[test]
    fn who_waits_for_a_person_keeps_nobody_else_waiting() {
        let seats = Seats::new(2, 2, "full");
        let (one, two) = (holder("one"), holder("two"));
        let first = seats.take(&one).unwrap();
        let _second = seats.take(&one).unwrap();
        assert!(seats.take(&two).is_err());
        first.while_waiting(|| {
            assert!(seats.take(&two).is_ok());
            assert!(seats.take(&one).is_err(), "two are one's own");
        });
        assert!(seats.take(&two).is_err());
    }
}
