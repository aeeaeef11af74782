//! Who signed.

use std::fmt;

use serde::Serialize;

use crate::signature::key::KeyId;
use crate::wildcard;

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
    /// A signer with a certificate.
    Certificate {
        /// What the user calls the authority, if it is known.
        name: Option<String>,
        /// The subject of the certificate.
        subject: String,
        /// The authority's key, or that of the certificate where the authority is not known.
        id: KeyId,
    },
    /// A Sigstore identity.
    Identity {
        /// What the user calls them, if they are known.
        name: Option<String>,
        /// The identity.
        identity: String,
        /// Who confirmed it.
        issuer: String,
    },
    /// An unknown signer.
    Unknown,
}

impl Signer {
    /// The signer as a pin stores it; `None` for a signer that anyone could claim to be.
    pub fn pin(&self) -> Option<String> {
        match self {
            Self::Key { id, .. } => Some(format!("key:{id}")),
            Self::Certificate {
                name: Some(_),
                subject,
                id,
            } => Some(format!("authority:{id} {subject}")),
            Self::Identity {
                identity, issuer, ..
            } => Some(format!("sigstore:{issuer} {}", lasting(identity))),
            _ => None,
        }
    }
}

/// Whether a pin names a key, or an authority by its key.
pub(super) fn is_pin_of(pin: &str, id: KeyId) -> bool {
    is_pin_of_key(pin, id) || of_authority(pin).is_some_and(|(authority, _)| authority == id)
}

/// Whether a pin names a key.
pub(super) fn is_pin_of_key(pin: &str, id: KeyId) -> bool {
    let named = pin.strip_prefix("key:");
    named.is_some_and(|named| named.parse() == Ok(id))
}

/// The key of the authority that a pin names, and the confirmed subject. Older pins leave that open.
pub(super) fn of_authority(pin: &str) -> Option<(KeyId, Option<&str>)> {
    let named = pin.strip_prefix("authority:")?;
    let (id, subject) = match named.split_once(' ') {
        Some((id, subject)) => (id, Some(subject)),
        None => (named, None),
    };
    Some((id.parse().ok()?, subject))
}

/// Whether a pin names an identity that fits a pattern.
pub(super) fn is_pin_of_identity(pin: &str, issuer: &str, pattern: &str) -> bool {
    let rest = pin.strip_prefix("sigstore:");
    let identity = rest.and_then(|rest| rest.strip_prefix(issuer)?.strip_prefix(' '));
    identity.is_some_and(|identity| wildcard::matches(lasting(pattern), identity))
}

/// An identity without what follows an `@` in that of a workflow: the branch or the tag it ran on.
fn lasting(identity: &str) -> &str {
    let workflow = identity.starts_with("https://");
    let before = identity.rsplit_once('@').filter(|_| workflow);
    before.map_or(identity, |(before, _)| before)
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
