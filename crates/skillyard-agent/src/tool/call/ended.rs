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

    /// What a program gave, which says with its code whether it failed.
    pub(super) fn ran(content: String, code: i32, kind: EventKind) -> Self {
        let mut ended = Self::ok(content, kind);
        if code != 0 {
            ended.outcome = CallOutcome::Failed;
            let reason = format!("it ended with code {code}");
            ended.event = ended.event.ended(Outcome::Failed, reason);
        }
        ended.event = ended.event.detail("exit", code.to_string());
        ended
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
