//! Policies that are handed out: signed by root keys, counted, and never older than before.
//!
//! A new version is accepted when enough root keys of the version before and enough of its own
//! signed it, so the root keys themselves can be replaced. Between versions nothing can be taken
//! back unnoticed: older and expired policies are rejected.

use jiff::Timestamp;

use crate::signature::dsse::{Envelope, EnvelopeError, seal};
use crate::signature::policy::{Moment, Policy, PolicyError, Root};
use crate::signature::signing_key::SigningKey;

const PAYLOAD_TYPE: &str = "application/vnd.skillyard.trust-policy+toml";

/// Most root keys of a policy.
const MAX_KEYS: usize = 32;

/// Why a signed policy is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignedPolicyError {
    /// The envelope.
    #[error("the signed policy cannot be read")]
    Envelope(#[from] EnvelopeError),
    /// The policy in it.
    #[error("the policy that was signed cannot be used")]
    Policy(#[from] PolicyError),
    /// No key could sign the next one.
    #[error("the policy names no root keys, or a threshold they cannot reach")]
    Root,
    /// Not enough of the keys signed.
    #[error("the policy is signed by {found} of its {which} root keys, and {needed} are needed")]
    Signatures {
        /// Whose keys.
        which: &'static str,
        /// How many signed.
        found: usize,
        /// How many must.
        needed: usize,
    },
    /// An older version, or another one of the same number.
    #[error("the policy is version {found}, and version {current} is in use")]
    Rollback {
        /// The version of this one.
        found: u64,
        /// The version in use.
        current: u64,
    },
    /// A policy that should have been renewed.
    #[error("the policy expired at {0}")]
    Expired(Moment),
}

/// A policy's text in an envelope signed by each of the keys.
pub fn sign_policy(text: &str, keys: &[&SigningKey]) -> Result<String, SignedPolicyError> {
    root(&Policy::parse(text)?)?;
    Ok(seal(PAYLOAD_TYPE, text.as_bytes(), keys).to_string())
}

/// Reads a signed policy, to be used in place of the current one.
pub fn accept_policy(
    envelope: &[u8],
    current: Option<&Policy>,
    now: Timestamp,
) -> Result<Policy, SignedPolicyError> {
    let envelope = Envelope::parse(envelope, PAYLOAD_TYPE)?;
    let text = String::from_utf8(envelope.payload.clone());
    let text = text.map_err(|_| EnvelopeError::Field("payload"))?;
    let policy = Policy::parse(&text)?;
    check_signatures(&envelope, root(&policy)?, "own")?;
    if let Some(current) = current {
        check_signatures(&envelope, root(current)?, "previous")?;
        if policy.version <= current.version {
            return Err(SignedPolicyError::Rollback {
                found: policy.version,
                current: current.version,
            });
        }
    }
    match policy.expires {
        Some(expires) if expires <= Moment(now) => Err(SignedPolicyError::Expired(expires)),
        _ => Ok(policy),
    }
}

/// The root keys, if they can sign at all; a key that stands twice counts once.
fn root(policy: &Policy) -> Result<&Root, SignedPolicyError> {
    let root = policy.root.as_ref().ok_or(SignedPolicyError::Root)?;
    let repeated = |at: usize| root.keys[..at].contains(&root.keys[at]);
    let distinct = (0..root.keys.len()).filter(|at| !repeated(*at)).count();
    let reachable = (1..=distinct).contains(&root.threshold);
    if reachable && distinct == root.keys.len() && distinct <= MAX_KEYS {
        Ok(root)
    } else {
        Err(SignedPolicyError::Root)
    }
}

fn check_signatures(
    envelope: &Envelope,
    root: &Root,
    which: &'static str,
) -> Result<(), SignedPolicyError> {
    if envelope.signatures.len() > MAX_KEYS {
        return Err(EnvelopeError::Signatures(envelope.signatures.len()).into());
    }
    let signed = root.keys.iter().filter(|key| envelope.is_signed_by(key));
    let found = signed.count();
    if found < root.threshold {
        return Err(SignedPolicyError::Signatures {
            which,
            found,
            needed: root.threshold,
        });
    }
    Ok(())
}
