//! What a talk does with signals: one stops the turn, others end the talk behind it.
//!
//! Before the first turn, and while somebody is waited for, nothing is under way that could be lost:
//! there the signals that end programs end this one at once.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default, register_conditional_shutdown};

/// The signals that were heard.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// The turn is to stop.
    stop: Arc<AtomicBool>,
    /// The talk is to end.
    end: Arc<AtomicBool>,
    /// Nothing is under way.
    waiting: Arc<AtomicBool>,
}

impl Signals {
    /// Hears them from now on; what cannot be heard ends us as ever.
    pub(crate) fn hear() -> Self {
        let signals = Self::default();
        let Self { stop, end, waiting } = &signals;
        waiting.store(true, Ordering::SeqCst);
        // A second Ctrl-C in the same turn ends us; whoever starts a turn clears the first.
        let _ = register_conditional_shutdown(SIGINT, 130, Arc::clone(stop));
        let _ = register(SIGINT, Arc::clone(stop));
        // Under `nohup` there is no terminal whose end could matter.
        let at_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
        for signal in [Some(SIGTERM), at_terminal.then_some(SIGHUP)] {
            let Some(signal) = signal else { continue };
            let _ = register_conditional_default(signal, Arc::clone(waiting));
            let _ = register(signal, Arc::clone(end));
            let _ = register(signal, Arc::clone(stop));
        }
        signals
    }

    /// Becomes true when the turn is to stop.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// From now on something is under way.
    pub(crate) fn begin(&self) {
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// The same; what stopped the turn before is forgotten, unless the talk is to end.
    pub(crate) fn begin_again(&self) {
        self.begin();
        self.stop.store(false, Ordering::SeqCst);
        if self.ends() {
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    /// Whether the talk is to end.
    pub(crate) fn ends(&self) -> bool {
        self.end.load(Ordering::SeqCst)
    }

    /// Waits for somebody.
    pub(crate) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waiting.store(true, Ordering::SeqCst);
        let came = wait();
        self.begin();
        came
    }
}
