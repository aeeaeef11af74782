//! Which processors the threads of a change run on.
//!
//! In a virtual machine a thread that starts or wakes up is often put where whoever woke it runs. The two
//! then take turns of milliseconds while another processor has nothing to do. Whoever has not begun
//! cannot move itself, so it is moved by the first thread, and only where that one works along with them.

#[cfg(target_os = "linux")]
use rustix::thread::CpuSet;

/// The threads of this process, by their numbers.
#[cfg(target_os = "linux")]
const THREADS: &str = "/proc/self/task";

/// The first thread stays on its processor, and those it works with on others: as long as this lives, none
/// of them that waits for another wakes up beside it.
#[derive(Debug)]
pub struct Apart {
    /// Where the thread could run before.
    #[cfg(target_os = "linux")]
    before: Option<CpuSet>,
}

/// Whether this is the thread that the process began with, and has others that it works along with.
#[cfg(target_os = "linux")]
fn works_along() -> bool {
    let thread = rustix::thread::gettid().as_raw_nonzero().get();
    rayon::current_thread_index() == Some(0) && u32::try_from(thread) == Ok(std::process::id())
}

#[cfg(target_os = "linux")]
impl Apart {
    /// Moves them apart, where this is the first thread and works along with others.
    pub fn keep() -> Self {
        use rustix::thread::sched_setaffinity;
        let separated = works_along().then(separate).flatten();
        let before = separated.and_then(|(before, here)| {
            let stays = sched_setaffinity(None, &here).is_ok();
            stays.then_some(before)
        });
        Self { before }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Apart {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Apart {
    /// Leaves it to the system.
    pub fn keep() -> Self {
        Self {}
    }
}

/// Moves the other threads off this one's processor; gives where this one may run, and where it does.
/// Nothing where there is one processor only, or nobody may choose.
#[cfg(target_os = "linux")]
fn separate() -> Option<(CpuSet, CpuSet)> {
    use rustix::thread::{Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let processor = sched_getcpu();
    let all = sched_getaffinity(None).ok()?;
    let (mut here, mut others) = (CpuSet::new(), all);
    if processor >= CpuSet::MAX_CPU {
        return None;
    }
    here.set(processor);
    others.unset(processor);
    if others.count() == 0 {
        return None;
    }
    for thread in std::fs::read_dir(THREADS).ok()?.flatten() {
        let name = thread.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let thread = number.and_then(Pid::from_raw);
        if let Some(thread) = thread.filter(|thread| *thread != gettid()) {
            // Where nobody may choose, they take turns.
            let _ = sched_setaffinity(Some(thread), &others);
        }
    }
    Some((all, here))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::sched_getaffinity;

    use super::*;

    #[test]
    fn a_thread_that_is_not_the_first_is_left_where_it_may_run() {
        let before = sched_getaffinity(None).unwrap();
        let apart = Apart::keep();
        assert_eq!(sched_getaffinity(None).unwrap(), before);
        drop(apart);
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
