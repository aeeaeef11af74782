//! An event of the log, as far as a replay needs it.

use std::collections::BTreeMap;

use skillyard_audit::{AuditEntry, Outcome};

/// An event of the log, as far as a replay needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its place in the log.
    pub place: u64,
    /// The session it belongs to.
    pub session: String,
    /// Its kind.
    pub kind: String,
    /// The skill it is about.
    pub skill: Option<String>,
    /// What that consisted of.
    pub digest: Option<String>,
    /// Whether what was wanted was done.
    pub done: bool,
    /// What else it says.
    pub detail: BTreeMap<String, String>,
}

impl Recorded {
    /// An event of the log; what is none gives nothing.
    pub fn of(line: &[u8]) -> Option<Self> {
        let entry = AuditEntry::parse(line)?;
        Some(Self {
            place: entry.seq,
            session: entry.session?.into_owned(),
            kind: entry.event.into_owned(),
            skill: entry.skill.map(std::borrow::Cow::into_owned),
            digest: entry.digest.map(std::borrow::Cow::into_owned),
            done: entry.outcome == Outcome::Ok.as_str(),
            detail: entry.detail,
        })
    }

    /// Whether a skill did not become active because its files were altered, or
    /// because it was too much for the session.
    pub(super) fn is_refusal(&self) -> bool {
        self.kind == "skill.activated" && !self.detail.contains_key("rendered")
    }
}
