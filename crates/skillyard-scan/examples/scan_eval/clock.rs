//! The time that this thread had a processor, so that a busy machine does not count.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A moment, as the kernel counts it for the thread.
pub(crate) struct Clock(Duration);

impl Clock {
    pub(crate) fn now() -> Self {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        // Neither can be negative.
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
        Self(Duration::new(seconds, nanoseconds))
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
