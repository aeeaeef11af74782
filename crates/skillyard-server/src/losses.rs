//! Events that could not be written down. A full disk keeps nobody from an answer, but whoever
//! runs the server hears of it once, can count it, and finds in the log how many are missing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use skillyard_audit::Event;

use crate::host::Host;
use crate::log::LogLine;

/// What was lost.
#[derive(Debug, Default)]
pub(crate) struct LossCounter {
    /// Since the start.
    all: AtomicU64,
    /// Since the log was last written.
    open: skillyard_audit::LossCounter,
    /// Whether somebody was told that the log cannot be written.
    told: AtomicBool,
}

impl LossCounter {
    /// How many events were lost since the start.
    pub(crate) fn count(&self) -> u64 {
        self.all.load(Ordering::Relaxed)
    }

    /// Records an event; before it, if the log can be written again, how many were lost.
    pub(crate) fn record(&self, host: &dyn Host, event: &Event) {
        let Err(error) = self.open.record(event, |event| host.record(event)) else {
            self.told.store(false, Ordering::Release);
            return;
        };
        self.all.fetch_add(1, Ordering::Relaxed);
        // Only the first of a row is told: the others would fill a log that may lie on that disk.
        if !self.told.swap(true, Ordering::AcqRel) {
            let cause = format!(
                "{}; answers go on, and what they leave unrecorded is counted",
                error.whole()
            );
            let what = "writing the audit log";
            host.log(&LogLine::Failure {
                what,
                cause: &cause,
            });
        }
    }
}
