//! What wakes a thread when a signal comes: within the signal itself hardly anything may be done.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::thread;

use signal_hook::low_level::pipe;

/// What is no signal, and only answered.
const ASKED: [u8; 1] = [0];

/// Wakes who waits for it.
#[derive(Debug)]
pub(crate) struct SignalWaker(UnixStream);

impl SignalWaker {
    /// Waits for it on a thread of its own, for as long as we run, and acts each time that it rings.
    pub(crate) fn new(mut act: impl FnMut() + Send + 'static) -> io::Result<Self> {
        let (bell, mut heard) = UnixStream::pair()?;
        let wait = move || {
            let mut rung = ASKED;
            // The other end is open for as long as we run.
            while heard.read_exact(&mut rung).is_ok() {
                if rung == ASKED {
                    let _ = heard.write_all(&ASKED);
                } else {
                    act();
                }
            }
        };
        thread::Builder::new().spawn(wait)?;
        Ok(Self(bell))
    }

    /// From now on this signal rings it.
    pub(crate) fn rings_at(&self, signal: i32) {
        if let Ok(end) = self.0.try_clone() {
            let _ = pipe::register(signal, end);
        }
    }

    /// Waits until all that rang by now has been acted upon: on a busy machine that can be long after.
    pub(crate) fn settle(&self) {
        let mut end = &self.0;
        if end.write_all(&ASKED).is_ok() {
            let _ = end.read_exact(&mut [0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::consts::SIGUSR2;
    use signal_hook::low_level::raise;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn what_rang_before_is_done_once_it_is_settled() {
        let done = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&done);
        let bell = SignalWaker::new(move || {
            thread::sleep(Duration::from_millis(20));
            count.fetch_add(1, Ordering::SeqCst);
        });
        let bell = bell.unwrap();
        bell.rings_at(SIGUSR2);
        for times in 1..4 {
            raise(SIGUSR2).unwrap();
            bell.settle();
            assert_eq!(done.load(Ordering::SeqCst), times);
        }
    }
}
