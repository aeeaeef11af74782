//! The time that this thread had a processor, so that a busy machine does not count.

use std::fs;
use std::time::{Duration, Instant};

/// A moment.
pub(crate) enum Clock {
    /// As the kernel counts it for the thread.
    Processor(Duration),
    /// On the wall, where the kernel does not tell.
    Wall(Instant),
}

impl Clock {
    pub(crate) fn now() -> Self {
        match processor() {
            Some(time) => Self::Processor(time),
            None => Self::Wall(Instant::now()),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match self {
            Self::Processor(start) => processor().unwrap_or_default().saturating_sub(*start),
            Self::Wall(start) => start.elapsed(),
        }
    }
}

fn processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
