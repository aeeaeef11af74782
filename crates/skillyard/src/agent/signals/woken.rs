//! A thread that can be woken from waiting for a key.

use std::os::unix::thread::JoinHandleExt as _;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use nix::sys::pthread::pthread_kill;
use nix::sys::signal::Signal;
use signal_hook::consts::SIGURG;
use signal_hook::flag::register;

/// The thread.
pub(super) struct Woken(JoinHandle<()>);

/// Hears the signal that wakes: only one that is handled interrupts whoever waits, and nobody else
/// sends us this one.
pub(super) fn hear() {
    let _ = register(SIGURG, Arc::default());
}

impl Woken {
    /// Starts it.
    pub(super) fn spawn(run: impl FnOnce() + Send + 'static) -> Self {
        Self(thread::spawn(run))
    }

    /// Wakes it, if it waits; it may be about to, so this is said again until it has ended.
    pub(super) fn wake(&self) {
        // It has ended otherwise.
        let _ = pthread_kill(self.0.as_pthread_t(), Signal::SIGURG);
    }
}
