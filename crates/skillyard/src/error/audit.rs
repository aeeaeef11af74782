//! What users can get wrong about the audit log, and hints.

use std::path::PathBuf;

/// Something that was asked of the log and makes no sense.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditUsage {
    #[error("there is no event `{event}`")]
    Event {
        event: String,
        nearest: Option<&'static str>,
    },
    #[error("there is no outcome `{0}`")]
    Outcome(String),
    #[error("`{0}` is no time")]
    Time(String),
    #[error("`{0}` is not a number and a hash")]
    Expected(String),
    #[error("no file of a log is in `{}`", .0.display())]
    NoCopies(PathBuf),
}

impl AuditUsage {
    /// What the user can do about it.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Event {
                nearest: Some(event),
                ..
            } => format!("Did you mean `{event}`?"),
            Self::Event { nearest: None, .. } => {
                "A group such as `skill`, `approval`, `scan`, `signature` or `config` is fine too"
                    .into()
            }
            Self::Outcome(_) => "It can be `ok`, `denied` or `failed`".into(),
            Self::Time(_) => "Write `2h`, `7d`, `2026-11-15` or `2026-11-15T12:00:00Z`".into(),
            Self::Expected(_) => "`skillyard audit verify` prints both, as SEQ:HASH".into(),
            Self::NoCopies(_) => {
                "They are called `audit.jsonl` and `audit.000001.jsonl`; name any other file, such as an export, itself"
                    .into()
            }
        }
    }
}
