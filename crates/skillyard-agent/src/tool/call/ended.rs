//! How a call ended.

use skillyard_audit::{Event, EventKind, Outcome};

use crate::message::CallOutcome;

/// How a call ended, and what is written down about it.
pub(super) struct Ended {
    pub(super) content: String,
    pub(super) outcome: CallOutcome,
    pub(super) event: Event,
}

impl Ended {
    pub(super) fn ok(content: String, kind: EventKind) -> Self {
        Self {
            content,
            outcome: CallOutcome::Ok,
            event: Event::new(kind),
        }
    }

    pub(super) fn failed(reason: String, kind: EventKind) -> Self {
        Self {
            event: Event::new(kind).ended(Outcome::Failed, reason.clone()),
            content: reason,
            outcome: CallOutcome::Failed,
        }
    }

    pub(super) fn denied(content: String, reason: impl Into<String>) -> Self {
        Self {
            content,
            outcome: CallOutcome::Denied,
            event: Event::new(EventKind::ToolBlocked).ended(Outcome::Denied, reason),
        }
    }
}
