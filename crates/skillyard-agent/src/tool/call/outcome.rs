//! The outcome of a call, and its entry in the audit log.

use std::borrow::Cow;

use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::Digest;

use crate::message::CallOutcome;

/// The outcome of a call and its audit event.
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

    /// The output of a program, which failed if its exit code is not 0.
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

/// Bytes of an ID that is logged unchanged, whatever its prefix.
const MAX_PLAIN_ID: usize = 12;
/// Bytes of an ID with a known prefix that is logged unchanged.
const MAX_KNOWN_ID: usize = 64;
/// Prefixes of the IDs of known servers.
const KNOWN_PREFIXES: [&str; 5] = ["call", "toolu", "tool_", "fc_", "chatcmpl"];

/// The ID of a call in the log. Servers choose IDs: one that is long or looks like a secret would be
/// redacted, so its digest is logged instead.
pub(crate) fn logged(id: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_usual = KNOWN_PREFIXES.iter().any(|start| id.starts_with(start));
    let most = if is_usual { MAX_KNOWN_ID } else { MAX_PLAIN_ID };
    if id.len() <= most && id.bytes().all(is_plain) {
        return id.into();
    }
    Digest::of(id.as_bytes()).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_ids_are_digests() {
        for id in ["a", "call_1_2", "toolu_01A09q90qw90lq917835lq9", "fc_0a-1"] {
            assert_eq!(logged(id), id);
        }
        let long = format!("call_{}", "x".repeat(99));
        for id in [
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "https://user:password1@h",
            "call:1",
            "",
            &long,
        ] {
            let is_digest = logged(id).starts_with("sha256:");
            assert_eq!(is_digest, !id.is_empty(), "{id}");
        }
    }
}
