//! What comes of a verification.

use jiff::Timestamp;

use super::distrust::{Distrust, Invalid};
use super::moment::Moment;
use super::pin::{Pin, Rollback};
use super::signer::Signer;
use super::statement::{Facts, StatementError};

/// What comes of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Signed by somebody who is trusted to sign this.
    Trusted {
        /// Who.
        signer: Signer,
        /// What was signed.
        facts: Facts,
        /// Whether the skill was signed by them before.
        pinned: Pinned,
        /// Where the skill that was seen before is published, else this one.
        publisher: Option<String>,
    },
    /// Signed by somebody who is not trusted to sign this.
    Untrusted {
        /// Who.
        signer: Signer,
        /// Why not.
        reason: Distrust,
        /// Who was expected, in words.
        expected: Vec<String>,
        /// What was signed, where the signature was checked.
        facts: Option<Facts>,
    },
    /// The signature is broken, or not for these files: worse than none.
    Invalid(Invalid),
    /// There is no signature.
    Unsigned,
}

/// Whether a skill was signed by the same signer before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinned {
    /// It is the first signature that is seen.
    FirstUse,
    /// It was, or by a key that named this one as its successor.
    Same,
    /// It was, and this one is older, as it was asked for.
    Older {
        /// How it is older.
        rollback: Rollback,
        /// Whether it is to take the place of what was seen.
        replaces: bool,
    },
}

/// What an installer does with a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The skill is whom it says it is from.
    Trusted,
    /// Nothing is proven and nothing is wrong: unsigned, signed by a stranger, or not all of it signed.
    Unproven,
    /// It must not be used.
    Refused,
}

impl Verification {
    /// What to do with it.
    pub fn standing(&self) -> Standing {
        match self {
            Self::Trusted { .. } => Standing::Trusted,
            Self::Untrusted { reason, .. } if reason.is_as_unsigned() => Standing::Unproven,
            Self::Unsigned => Standing::Unproven,
            Self::Untrusted { .. } | Self::Invalid(_) => Standing::Refused,
        }
    }

    /// Who signed it, if they are trusted.
    pub fn signer(&self) -> Option<&Signer> {
        match self {
            Self::Trusted { signer, .. } => Some(signer),
            _ => None,
        }
    }

    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Trusted { .. } => "trusted",
            Self::Untrusted { reason, .. } => reason.code(),
            Self::Invalid(Invalid::Statement(StatementError::Changed(_))) => "changed",
            Self::Invalid(Invalid::Statement(StatementError::Name { .. })) => "other-name",
            Self::Invalid(_) => "invalid",
            Self::Unsigned => "unsigned",
        }
    }

    /// The revocation of the content or of a key that signed it, if there is one.
    pub fn revocation(&self) -> Option<&Distrust> {
        match self {
            Self::Untrusted { reason, .. } if reason.is_revocation() => Some(reason),
            _ => None,
        }
    }

    /// Why it is not trusted, in words; none when it is.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Trusted { .. } => None,
            Self::Untrusted { reason, .. } => Some(reason.to_string()),
            Self::Invalid(reason) => Some(reason.to_string()),
            Self::Unsigned => Some("it is not signed".into()),
        }
    }

    /// How it is older than what was seen, where it is accepted all the same.
    pub fn step_back(&self) -> Option<&Rollback> {
        match self {
            Self::Trusted {
                pinned: Pinned::Older { rollback, .. },
                ..
            } => Some(rollback),
            _ => None,
        }
    }

    /// What to remember once the skill is accepted, so that a later one can be compared; nothing of
    /// a stranger, who could take any name with it, nor of what is older than the newest.
    pub fn pin(&self, now: Timestamp) -> Option<Pin> {
        let Self::Trusted {
            signer,
            facts,
            pinned,
            publisher,
        } = self
        else {
            return None;
        };
        if matches!(
            pinned,
            Pinned::Older {
                replaces: false,
                ..
            }
        ) {
            return None;
        }
        let details = facts.details.as_ref();
        Some(Pin {
            skill: facts.name.clone(),
            publisher: publisher.clone(),
            signer: signer.pin()?,
            version: facts.version.clone(),
            digest: facts.digest,
            signed: details.map(|details| Moment(details.signed)),
            seen: Moment(now),
        })
    }
}
