//! The start of what git says, read while it runs.

use std::io::{ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long more is waited for once git is done: whom it started may hold the other end for ever.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// How often that is done while more comes.
const MAX_WAITS: usize = 5;

/// What was kept of it so far.
pub(super) struct CapturedOutput {
    kept: Arc<Mutex<Vec<u8>>>,
    heard: Arc<AtomicU64>,
    /// Closed at the end.
    end: Receiver<()>,
}

impl CapturedOutput {
    /// Reads to the end, so that git never waits, keeps so many bytes, and counts what was `heard`.
    pub(super) fn of(
        mut from: impl Read + Send + 'static,
        most: u64,
        heard: &Arc<AtomicU64>,
    ) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let (until, end) = channel();
        let start = Self {
            kept: Arc::default(),
            heard: Arc::clone(heard),
            end,
        };
        let (kept, heard) = (Arc::clone(&start.kept), Arc::clone(heard));
        std::thread::spawn(move || {
            let _until: std::sync::mpsc::Sender<()> = until;
            let mut piece = [0; 8192];
            loop {
                let read = match from.read(&mut piece) {
                    Ok(read @ 1..) => read,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Ok(0) | Err(_) => return,
                };
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = most.saturating_sub(kept.len());
                kept.extend_from_slice(&piece[..read.min(room)]);
                heard.fetch_add(read as u64, Ordering::Relaxed);
            }
        });
        start
    }

    /// What was kept, when git is done.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut heard = self.heard.load(Ordering::Relaxed);
        for _ in 0..MAX_WAITS {
            let end = self.end.recv_timeout(DRAIN_TIMEOUT);
            let now = self.heard.load(Ordering::Relaxed);
            if now == heard || end != Err(RecvTimeoutError::Timeout) {
                break;
            }
            heard = now;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept)
    }
}
