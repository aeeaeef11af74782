//! The signals that end a server.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Who hears them.
#[derive(Debug)]
pub(crate) struct Ends {
    terminate: Signal,
    interrupt: Signal,
}

impl Ends {
    /// Hears them from now on, within a runtime.
    pub(crate) fn hear() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the first, and tells which it was.
    pub(crate) async fn first(mut self) -> SignalKind {
        tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        }
    }
}
