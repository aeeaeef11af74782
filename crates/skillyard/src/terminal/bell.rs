//! What wakes a thread when a signal comes: within the signal itself hardly anything may be done.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::thread;

use signal_hook::low_level::pipe;

/// Wakes who waits for it.
pub(crate) struct Bell(UnixStream);

impl Bell {
    /// Waits for it on a thread of its own, for as long as we run, and acts each time that it rings.
    pub(crate) fn new(mut act: impl FnMut() + Send + 'static) -> io::Result<Self> {
        let (bell, mut heard) = UnixStream::pair()?;
        let wait = move || {
            // The other end is open for as long as we run.
            while heard.read_exact(&mut [0]).is_ok() {
                act();
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
}
