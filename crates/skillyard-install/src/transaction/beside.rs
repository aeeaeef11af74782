//! What a change does while it waits for the disk.

/// Does `waiting` on a thread of its own, and `work` meanwhile.
pub(super) fn beside_work<A: Send, B>(
    waiting: impl FnOnce() -> A + Send,
    work: impl FnOnce() -> B,
) -> (A, B) {
    std::thread::scope(|scope| {
        let waiting = at_once(|| scope.spawn(waiting));
        let work = work();
        match waiting.join() {
            Ok(waited) => (waited, work),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Starts a thread that has little to do before it waits, and lets it do that first. A new thread comes
/// last among those of its processor, so it begins on this one, which gives way to it.
#[cfg(target_os = "linux")]
fn at_once<T>(start: impl FnOnce() -> T) -> T {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity, sched_yield};
    let mut here = CpuSet::new();
    let processor = sched_getcpu();
    if processor < CpuSet::MAX_CPU {
        here.set(processor);
    }
    let all = sched_getaffinity(None).ok();
    // Where nobody may choose, it begins later.
    let all = all.filter(|_| sched_setaffinity(None, &here).is_ok());
    let started = start();
    if let Some(all) = all {
        sched_yield();
        let _ = sched_setaffinity(None, &all);
    }
    started
}

#[cfg(not(target_os = "linux"))]
fn at_once<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// Does `waiting` on a thread that is there already, and `work` meanwhile, when it has `begun`: one that
/// has to start begins later than it would end.
pub(super) fn on_the_side<A: Send, B>(
    waiting: impl FnOnce() -> A + Send,
    begun: &impl Fn(),
    work: impl FnOnce() -> B,
) -> (A, B) {
    let mut waited = None;
    let work = rayon::in_place_scope(|scope| {
        scope.spawn(|_| waited = Some(waiting()));
        begun();
        work()
    });
    (
        waited.expect("the scope ends when all in it have ended"),
        work,
    )
}
