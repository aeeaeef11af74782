//! What comes of a verification.

use jiff::Timestamp;

use crate::signature::bundle::BundleError;
use crate::signature::certificate::CertificateError;
use crate::signature::key::KeyId;
use crate::signature::pin::{Pin, Rollback};
use crate::signature::policy::Moment;
use crate::signature::signer::Signer;
use crate::signature::sigstore::SigstoreError;
use crate::signature::statement::{SignedFacts, StatementError};
use crate::signature::tree::MAX_NAMED;

/// What comes of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Signed by a signer that is trusted to sign this.
    Trusted {
        /// Who.
        signer: Signer,
        /// What was signed.
        facts: SignedFacts,
        /// Whether the skill was signed by them before.
        pinned: PinStatus,
        /// Where the skill that was seen before is published, else this one.
        publisher: Option<String>,
    },
    /// Signed by a signer that is not trusted to sign this.
    Untrusted {
        /// Who.
        signer: Signer,
        /// Why not.
        reason: Distrust,
        /// Who was expected, in words.
        expected: Vec<String>,
        /// What was signed, where the signature was checked.
        facts: Option<SignedFacts>,
    },
    /// The signature is broken, or not for these files: worse than none.
    Invalid(InvalidSignature),
    /// The skill has no signature.
    Unsigned,
}

/// Whether a skill was signed by the same signer before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinStatus {
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
pub enum SignatureStatus {
    /// The origin of the skill is proven.
    Trusted,
    /// Nothing is proven and nothing is wrong: unsigned, signed by an unknown signer, or only partly signed.
    Unproven,
    /// It must not be used.
    Refused,
}

impl Verification {
    /// What to do with it.
    pub fn status(&self) -> SignatureStatus {
        match self {
            Self::Trusted { .. } => SignatureStatus::Trusted,
            Self::Untrusted { reason, .. } if reason.is_as_unsigned() => SignatureStatus::Unproven,
            Self::Unsigned => SignatureStatus::Unproven,
            Self::Untrusted { .. } | Self::Invalid(_) => SignatureStatus::Refused,
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
            Self::Invalid(InvalidSignature::Statement(StatementError::Changed(_))) => "changed",
            Self::Invalid(InvalidSignature::Statement(StatementError::Name { .. })) => "other-name",
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

    /// How it is older than what was seen, if it is accepted anyway.
    pub fn step_back(&self) -> Option<&Rollback> {
        match self {
            Self::Trusted {
                pinned: PinStatus::Older { rollback, .. },
                ..
            } => Some(rollback),
            _ => None,
        }
    }

    /// What to remember once the skill is accepted, so that a later one can be compared; nothing of
    /// an unknown signer, who could claim any name with it, nor of what is older than the newest.
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
            PinStatus::Older {
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

/// Why a signature is broken, which is worse than none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSignature {
    /// The bundle.
    #[error("the signature file cannot be used: {0}")]
    Bundle(#[from] BundleError),
    /// The statement, or the files it is about.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// A certificate.
    #[error(transparent)]
    Certificate(CertificateError),
    /// Sigstore's evidence.
    #[error(transparent)]
    Sigstore(SigstoreError),
    /// The mathematics.
    #[error("the signature was not made by {0}, as it says")]
    NotMadeBy(Signer),
}

/// Why a valid signature is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// A signer that no policy names.
    #[error("no trust policy names this signer")]
    Unknown,
    /// A key that is not here, so that the signature could not even be checked.
    #[error("the key is not known here, so the signature could not be checked")]
    Unchecked,
    /// A certificate that no trusted authority confirms.
    #[error("{0}")]
    UnknownAuthority(CertificateError),
    /// A certificate at the wrong time.
    #[error("{0}")]
    CertificateTime(CertificateError),
    /// It is unknown without a network or without a trust root.
    #[error("it cannot be verified offline: {0}")]
    Unverifiable(SigstoreError),
    /// A key that was revoked.
    #[error("key {} was revoked at {time}{}", id.short(), because(reason.as_deref()))]
    Revoked {
        /// The key.
        id: KeyId,
        /// Since when.
        time: Moment,
        /// Why.
        reason: Option<String>,
    },
    /// A skill that was revoked.
    #[error("this very content was revoked at {time}{}", because(reason.as_deref()))]
    RevokedContent {
        /// Since when.
        time: Moment,
        /// Why.
        reason: Option<String>,
    },
    /// A signer whose time has not come.
    #[error("this signer is trusted from {0} on")]
    TooEarly(Moment),
    /// A signer whose time is over.
    #[error("this signer was trusted until {0}")]
    Expired(Moment),
    /// A signer that may not sign skills of this name.
    #[error("this signer is not trusted to sign skills called `{0}`")]
    OutOfScope(String),
    /// A signer that may not sign what comes from there.
    #[error("this signer is not trusted to sign skills from {}", .0.as_deref().unwrap_or("an unknown source"))]
    OutOfSource(Option<String>),
    /// Files that are there and that the signature leaves out.
    #[error("nobody signed {}", listed(.0))]
    Uncovered(Vec<String>),
    /// Another signer than before.
    #[error("`{skill}` was signed by {pinned} before")]
    OtherSigner {
        /// The skill.
        skill: String,
        /// Who signed it before.
        pinned: String,
    },
    /// No signature where there was one.
    #[error("it is not signed, and `{skill}` was signed by {pinned} before")]
    Stripped {
        /// The skill.
        skill: String,
        /// Who signed it before.
        pinned: String,
    },
    /// An older version than before.
    #[error(transparent)]
    Rollback(#[from] Rollback),
}

impl Distrust {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown-signer",
            Self::Unchecked => "unknown-key",
            Self::UnknownAuthority(_) => "unknown-authority",
            Self::CertificateTime(_) => "certificate-not-valid",
            Self::Unverifiable(_) => "unverifiable-offline",
            Self::Revoked { .. } => "revoked",
            Self::RevokedContent { .. } => "revoked-content",
            Self::TooEarly(_) => "not-yet-trusted",
            Self::Expired(_) => "expired",
            Self::OutOfScope(_) => "out-of-scope",
            Self::OutOfSource(_) => "out-of-source",
            Self::Uncovered(_) => "uncovered",
            Self::OtherSigner { .. } => "other-signer",
            Self::Stripped { .. } => "signature-removed",
            Self::Rollback(_) => "rollback",
        }
    }

    /// Whether it is a revocation, of the signer or of the content.
    pub fn is_revocation(&self) -> bool {
        matches!(self, Self::Revoked { .. } | Self::RevokedContent { .. })
    }

    /// Whether it is not as it was seen before.
    pub fn is_break(&self) -> bool {
        matches!(
            self,
            Self::OtherSigner { .. } | Self::Stripped { .. } | Self::Rollback(_)
        )
    }

    /// Whether the skill may be treated as unsigned: it is from an unknown signer, or not all
    /// of it was signed.
    pub(super) fn is_as_unsigned(&self) -> bool {
        matches!(
            self,
            Self::Unknown | Self::Unchecked | Self::UnknownAuthority(_) | Self::Uncovered(_)
        )
    }
}

/// The first paths, for a message.
fn listed(paths: &[String]) -> String {
    let named = paths.iter().take(MAX_NAMED).map(|path| format!("`{path}`"));
    let named: Vec<String> = named.collect();
    let named = named.join(", ");
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}
