//! What comes of a verification.

use jiff::Timestamp;
use serde::Serialize;

use super::distrust::{Distrust, Invalid};
use super::moment::Moment;
use super::pin::Pin;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pinned {
    /// It is the first signature that is seen.
    FirstUse,
    /// It was, or by a key that named this one as its successor.
    Same,
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

    /// What to remember once the skill is accepted, so that a later one can be compared; nothing of
    /// a stranger, who could take any name with it.
    pub fn pin(&self, now: Timestamp) -> Option<Pin> {
        let Self::Trusted { signer, facts, .. } = self else {
            return None;
        };
        let details = facts.details.as_ref();
        Some(Pin {
            skill: facts.name.clone(),
            signer: signer.pin()?,
            version: facts.version.clone(),
            digest: facts.digest,
            signed: details.map(|details| Moment(details.signed)),
            seen: Moment(now),
        })
    }
}
