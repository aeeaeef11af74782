//! What a command records its effects with.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

use crate::error::AuditError;
use crate::event::Event;
use crate::event::EventKind;
use crate::log::{AuditLog, Receipt};

/// The log together with who acts and what time it is.
pub struct Recorder {
    log: AuditLog,
    actor: String,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// What every event says besides.
    details: BTreeMap<String, String>,
}

impl Recorder {
    /// Records what `actor` does, at the times of `clock`.
    pub fn new(
        log: AuditLog,
        actor: impl Into<String>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            log,
            actor: actor.into(),
            clock: Box::new(clock),
            details: BTreeMap::new(),
        }
    }

    /// The same, and every event says this, too.
    #[must_use]
    pub fn with_details(mut self, details: BTreeMap<String, String>) -> Self {
        self.details = details;
        self
    }

    /// Fails where nothing could be written down; for what must not happen unrecorded.
    pub fn make_ready(&self) -> Result<(), AuditError> {
        self.log.make_ready((self.clock)())
    }

    /// Writes an event down; when this returns it is in the log.
    pub fn record(&self, event: &Event) -> Result<Receipt, AuditError> {
        let event = self.detailed(event);
        self.log.append((self.clock)(), &self.actor, &event)
    }

    /// Writes several events down; when this returns they are in the log.
    pub fn record_all(&self, events: &[Event]) -> Result<(), AuditError> {
        let detailed = || events.iter().map(|each| self.detailed(each).into_owned());
        let events = if self.details.is_empty() {
            Cow::Borrowed(events)
        } else {
            detailed().collect()
        };
        self.log.append_all((self.clock)(), &self.actor, &events)
    }

    fn detailed<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        let mut event = Cow::Borrowed(event);
        if !self.details.is_empty() {
            event.to_mut().detail.extend(self.details.clone());
        }
        event
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Recorder")
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

/// How many events were lost since the log was last written.
#[derive(Debug, Default)]
pub struct LossCounter(AtomicU64);

impl LossCounter {
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
