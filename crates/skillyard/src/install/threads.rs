//! The threads that many skills are read, checked and written on.

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::ThreadPoolBuilder;

/// The threads of this process, by their numbers.
#[cfg(target_os = "linux")]
const THREADS: &str = "/proc/self/task";

/// Lets this thread work along with the others, instead of handing everything over and waiting.
pub(crate) fn work_along() {
    take_small_pages();
    // For the threads that all share one would wait until the last of them has started.
    let own = ThreadPoolBuilder::new().use_current_thread().build();
    // Where this thread has others already, they do it.
    if let Ok(own) = own {
        keep_apart();
        // It is needed to the end.
        let _ = ManuallyDrop::new(own);
    }
}

/// The same before another thread is given much to do: this one may have come back on its processor
/// after it waited, and that one cannot leave it by itself. A thread that does not
/// [work along](work_along) leaves the others where they are.
pub(super) fn stay_apart() {
    if rayon::current_thread_index() == Some(0) && is_first() {
        keep_apart();
    }
}

/// Whether the process began with this thread.
#[cfg(target_os = "linux")]
fn is_first() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}

#[cfg(not(target_os = "linux"))]
fn is_first() -> bool {
    false
}

/// Keeps the threads that were started off the processor that this one runs on.
///
/// In a virtual machine one that starts or wakes up is often put where whoever woke it runs. The two
/// then take turns of milliseconds while another processor has nothing to do. Whoever has not begun
/// cannot move itself, so it is moved from here.
#[cfg(target_os = "linux")]
fn keep_apart() {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let here = sched_getcpu();
    let (Ok(mut others), Ok(threads)) = (sched_getaffinity(None), std::fs::read_dir(THREADS))
    else {
        return;
    };
    if here < CpuSet::MAX_CPU {
        others.unset(here);
    }
    if others.count() == 0 {
        return;
    }
    for thread in threads.flatten() {
        let number = thread
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let thread = number.and_then(Pid::from_raw);
        if let Some(thread) = thread.filter(|thread| *thread != gettid()) {
            // Where nobody may choose, they take turns.
            let _ = sched_setaffinity(Some(thread), &others);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_apart() {}

/// Asks for memory in small pages, where the system would give it in huge ones.
///
/// What the threads need for a hundred skills is spread over about ten huge pages, and to clear one of
/// them takes as long as a hundred small ones. What is started from here inherits the wish: that is
/// git, for as long as it fetches.
#[cfg(target_os = "linux")]
fn take_small_pages() {
    // Where the system does not know the wish, it gives what it gives.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

#[cfg(not(target_os = "linux"))]
fn take_small_pages() {}

/// Does something when a thread has time for it. Should it panic, so will whoever needs the answer.
pub(super) fn in_background(work: impl FnOnce() + Send + 'static) {
    rayon::spawn(|| drop(catch_unwind(AssertUnwindSafe(work))));
}

/// Gives memory back when a thread has time for it; nobody waits for that at the end of a command.
pub(crate) fn drop_later<T: Send + 'static>(value: T) {
    in_background(move || drop(value));
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_works_along_takes_small_pages() {
        work_along();
        assert!(rustix::thread::transparent_huge_pages_are_disabled().unwrap());
    }
}
