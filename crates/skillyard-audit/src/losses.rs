//! Events that could not be written down: how many are missing is in the log as soon as it can be
//! written again.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::event::Event;
use crate::kind::EventKind;

/// How many events were lost since the log was last written.
#[derive(Debug, Default)]
pub struct Losses(AtomicU64);

impl Losses {
    /// Writes an event down, and before it how many were lost; one that fails is lost, too.
    pub fn record<E>(
        &self,
        event: &Event,
        write: impl Fn(&Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let missing = self.0.swap(0, Ordering::AcqRel);
        if missing > 0 {
            let lost = Event::new(EventKind::LogLost)
                .reason("the log could not be written")
                .detail("events", missing.to_string());
            if let Err(error) = write(&lost) {
                self.0.fetch_add(missing + 1, Ordering::AcqRel);
                return Err(error);
            }
        }
        let written = write(event);
        if written.is_err() {
            self.0.fetch_add(1, Ordering::AcqRel);
        }
        written
    }
}
