//! Whether what comes is worth waiting for: a server that sends a byte now and then is never silent.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use super::settings::HttpSettings;

/// The bytes that have to come within the time that [`HttpSettings::slow_after`] gives.
const LEAST: u64 = 1024;

/// How fast something comes.
pub(super) struct TransferPace {
    started: Instant,
    /// When the bytes were counted last, and how many they were.
    counted: (Instant, u64),
}

impl TransferPace {
    /// From now on.
    pub(super) fn begin() -> Self {
        let started = Instant::now();
        Self {
            started,
            counted: (started, 0),
        }
    }

    /// How long it took to get no further than this many bytes in all, if that is too long.
    pub(super) fn too_long(&mut self, received: u64, settings: &HttpSettings) -> Option<Duration> {
        let now = Instant::now();
        let (since, before) = self.counted;
        let mut is_slow = now - self.started > settings.total_timeout;
        if now - since > settings.slow_after {
            is_slow |= received - before < LEAST;
            self.counted = (now, received);
        }
        is_slow.then(|| now - self.started)
    }
}

/// Reads something short, and no longer than this.
pub(super) fn gather(from: &mut impl Read, limit: u64, patience: Duration) -> io::Result<Vec<u8>> {
    let started = Instant::now();
    let mut from = from.take(limit);
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if started.elapsed() > patience {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it is too slow"));
        }
    }
}
