//! Why a signature, or whoever made it, is not believed.

use super::bundle::BundleError;
use super::certificate::CertificateError;
use super::change::MAX_NAMED;
use super::key::KeyId;
use super::moment::Moment;
use super::pin::Rollback;
use super::signer::Signer;
use super::sigstore::SigstoreError;
use super::statement::StatementError;

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

    /// Whether somebody took back what they said, be it of the signer or of the content.
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

    /// Whether the skill may be met like one that nobody signed: it is from a stranger, or not all
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
