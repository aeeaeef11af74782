//! How much of the audit log the calls of a turn take: what is written today pushes out what was
//! written long ago, and a model must not be able to do that on purpose.

use std::fmt::Write as _;

use skillyard_audit::{Event, Outcome};
use skillyard_format::text::counted;

/// How many bytes a turn may add.
const MOST: usize = 1_048_576;
/// How much of a model's words is written down of a call that failed.
const QUOTED: usize = 200;

/// What the calls of a turn have added to the log.
#[derive(Debug, Default)]
pub(crate) struct Share(usize);

impl Share {
    /// Takes note of an event.
    pub(super) fn note(&mut self, event: &Event) {
        self.0 = self.0.saturating_add(event.size());
    }

    /// Whether no more calls are made in this turn.
    pub(crate) fn is_spent(&self) -> bool {
        self.0 >= MOST
    }
}

/// An event with the beginning of what a model named, where that led nowhere. What ran, or was to
/// run, stays whole.
pub(super) fn brief(mut event: Event) -> Event {
    let is_run = event.detail.contains_key("exit") || event.detail.contains_key("argv");
    if event.outcome != Outcome::Failed || is_run {
        return event;
    }
    let path = event.detail.get_mut("path");
    for text in event.reason.as_mut().into_iter().chain(path) {
        if let Some((at, _)) = text.char_indices().nth(QUOTED) {
            let more = counted(text[at..].chars().count(), "more character");
            text.truncate(at);
            let _ = write!(text, "… and {more}");
        }
    }
    event
}
