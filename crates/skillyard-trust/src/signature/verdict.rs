//! What comes of a verification.

use std::fmt;

use jiff::Timestamp;
use serde::Serialize;

use super::bundle::BundleError;
use super::certificate::CertificateError;
use super::key::KeyId;
use super::moment::Moment;
use super::pin::{Pin, Rollback};
use super::sigstore::SigstoreError;
use super::statement::{Facts, StatementError};

/// Who signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Signer {
    /// The holder of a key.
    Key {
        /// What the user calls it, if it is known.
        name: Option<String>,
        /// The key.
        id: KeyId,
    },
    /// Somebody with a certificate.
    Certificate {
        /// What the user calls the authority, if it is known.
        name: Option<String>,
        /// Whom the certificate is about.
        subject: String,
        /// The authority's key, or that of the certificate where the authority is not known.
        id: KeyId,
    },
    /// Somebody whom Sigstore knows by an identity.
    Identity {
        /// What the user calls them, if they are known.
        name: Option<String>,
        /// The identity.
        identity: String,
        /// Who confirmed it.
        issuer: String,
    },
    /// Nobody who can be named.
    Unknown,
}

impl Signer {
    /// The signer as a pin keeps it; none for somebody whom anybody could claim to be.
    pub fn pin(&self) -> Option<String> {
        match self {
            Self::Key { id, .. } => Some(format!("key:{id}")),
            Self::Certificate {
                name: Some(_), id, ..
            } => Some(format!("authority:{id}")),
            Self::Identity {
                identity, issuer, ..
            } => {
                // What follows an `@` in a workflow's identity is the branch or the tag it ran on.
                let workflow = identity.starts_with("https://");
                let lasting = identity.rsplit_once('@').filter(|_| workflow);
                let lasting = lasting.map_or(identity.as_str(), |(before, _)| before);
                Some(format!("sigstore:{issuer} {lasting}"))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key {
                name: Some(name),
                id,
            } => write!(f, "`{name}` (key {})", id.short()),
            Self::Key { name: None, id } => write!(f, "the unknown key {id}"),
            Self::Certificate {
                name: Some(name),
                subject,
                ..
            } => write!(f, "`{subject}` (authority `{name}`)"),
            Self::Certificate { subject, .. } => write!(f, "`{subject}` (certificate)"),
            Self::Identity {
                identity, issuer, ..
            } => write!(f, "`{identity}` (Sigstore, {issuer})"),
            Self::Unknown => f.write_str("nobody who can be named"),
        }
    }
}

/// Why a signature is broken, which is worse than none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
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
    Signature(Signer),
}

/// Why somebody is not believed, though nothing was found to be broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// A signer whom no policy names.
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
    /// It cannot be told without a network or without a trust root.
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
            Self::OtherSigner { .. } => "other-signer",
            Self::Stripped { .. } => "signature-removed",
            Self::Rollback(_) => "rollback",
        }
    }

    /// Whether this is a stranger, who may be met like somebody who signs nothing.
    fn is_stranger(&self) -> bool {
        matches!(
            self,
            Self::Unknown | Self::Unchecked | Self::UnknownAuthority(_)
        )
    }
}

fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

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
    /// Nothing is proven and nothing is wrong: unsigned, or signed by a stranger.
    Unproven,
    /// It must not be used.
    Refused,
}

impl Verification {
    /// What to do with it.
    pub fn standing(&self) -> Standing {
        match self {
            Self::Trusted { .. } => Standing::Trusted,
            Self::Untrusted { reason, .. } if reason.is_stranger() => Standing::Unproven,
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

    /// Why it is not trusted, in words; none when it is.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Trusted { .. } => None,
            Self::Untrusted { reason, .. } => Some(reason.to_string()),
            Self::Invalid(reason) => Some(reason.to_string()),
            Self::Unsigned => Some("it is not signed".into()),
        }
    }

    /// What to remember once the skill is accepted, so that a later one can be compared.
    pub fn pin(&self, now: Timestamp) -> Option<Pin> {
        let (signer, facts) = match self {
            Self::Trusted { signer, facts, .. } => (signer, facts),
            Self::Untrusted {
                signer,
                facts: Some(facts),
                ..
            } if self.standing() == Standing::Unproven => (signer, facts),
            _ => return None,
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
