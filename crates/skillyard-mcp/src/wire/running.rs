//! The programs that were started and not ended yet.
//!
//! Each ends with its connection. But a process may end while one of them is still waited for, in a
//! thread that nobody waits for; or by a signal, and then the warden ends them.

use std::collections::BTreeSet;
use std::process::Child;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

use super::warden::Warden;

static RUNNING: LazyLock<Mutex<Running>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Running {
    groups: BTreeSet<i32>,
    warden: Warden,
}

/// Starts a program, and takes note of it by its group.
///
/// What may end it in our place waits already: between its start and the note is nothing but one line.
pub(super) fn start<E>(spawn: impl FnOnce() -> Result<Child, E>) -> Result<Child, E> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let Running { groups, warden } = &mut *running;
    warden.begin();
    let child = spawn()?;
    groups.extend(group(&child).map(|group| group.as_raw_nonzero().get()));
    warden.tell(groups.iter().copied());
    Ok(child)
}

/// The group of a program, which has its number.
pub(super) fn group(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Asks a program and whatever it started to end.
pub(super) fn ask_to_end(group: Pid) {
    let _ = kill_process_group(group, Signal::TERM);
}

/// Ends a program and whatever it started.
pub(super) fn end(group: Pid) {
    // There may be nobody left.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Forgets a program that was ended.
pub(super) fn forget(group: Pid) {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let Running { groups, warden } = &mut *running;
    groups.remove(&group.as_raw_nonzero().get());
    warden.tell(groups.iter().copied());
}

/// Ends all programs that serve; for the end of the process.
pub fn end_all() {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = std::mem::take(&mut running.groups);
    if all.is_empty() {
        return;
    }
    all.into_iter().filter_map(Pid::from_raw).for_each(end);
    running.warden.tell([]);
}
