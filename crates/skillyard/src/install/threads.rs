//! The threads that many skills are read, checked and written on.

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::ThreadPoolBuilder;

/// Lets this thread work along with the others, instead of handing everything over and waiting.
pub(crate) fn work_along() {
    let here = processor();
    // For the threads that all share one would wait until the last of them has started.
    let own = ThreadPoolBuilder::new()
        .use_current_thread()
        .start_handler(move |_| keep_off(here))
        .build();
    // Where this thread has others already, they do it.
    drop(own.map(ManuallyDrop::new));
}

/// The processor that this thread runs on.
#[cfg(target_os = "linux")]
fn processor() -> usize {
    rustix::thread::sched_getcpu()
}

/// Keeps a thread that has just started off the processor that it was started from.
///
/// In a virtual machine one that wakes up is often put where whoever woke it runs. The two then take
/// turns of milliseconds while another processor has nothing to do.
#[cfg(target_os = "linux")]
fn keep_off(processor: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(mut others) = sched_getaffinity(None) else {
        return;
    };
    if processor < CpuSet::MAX_CPU {
        others.unset(processor);
    }
    if others.count() > 0 {
        // Whoever may not choose takes its turn.
        let _ = sched_setaffinity(None, &others);
    }
}

#[cfg(not(target_os = "linux"))]
fn processor() -> usize {
    0
}

#[cfg(not(target_os = "linux"))]
fn keep_off(_: usize) {}

/// Does something when a thread has time for it. Should it panic, so will whoever needs the answer.
pub(super) fn in_background(work: impl FnOnce() + Send + 'static) {
    rayon::spawn(|| drop(catch_unwind(AssertUnwindSafe(work))));
}

/// Gives memory back when a thread has time for it; nobody waits for that at the end of a command.
pub(crate) fn drop_later<T: Send + 'static>(value: T) {
    in_background(move || drop(value));
}
