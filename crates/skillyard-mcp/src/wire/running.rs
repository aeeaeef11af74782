//! The programs that were started and not ended yet.
//!
//! Each ends with its connection. But a process may end while one of them is still waited for, in a
//! thread that nobody waits for.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Takes note of a program, by its group.
pub(super) fn note(group: Pid) {
    with(|running| running.insert(group.as_raw_nonzero().get()));
}

/// Ends a program and whatever it started.
pub(super) fn end(group: Pid) {
    // There may be nobody left.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Forgets a program that was ended.
pub(super) fn forget(group: Pid) {
    with(|running| running.remove(&group.as_raw_nonzero().get()));
}

/// Ends all programs that serve; for the end of the process.
pub fn end_all() {
    let all = with(std::mem::take);
    all.into_iter().filter_map(Pid::from_raw).for_each(end);
}

fn with<T>(change: impl FnOnce(&mut BTreeSet<i32>) -> T) -> T {
    change(&mut RUNNING.lock().unwrap_or_else(PoisonError::into_inner))
}
