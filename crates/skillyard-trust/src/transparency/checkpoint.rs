//! How long a log is and what its root is, signed by the registry.

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::signature::{KeyError, PublicKey, SigningKey};

/// A log at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// How many entries it has.
    pub size: u64,
    /// The root over them.
    pub root: Digest,
    /// When that was said, as RFC 3339 writes it.
    pub time: String,
}

/// A checkpoint as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedCheckpoint {
    /// What is said.
    #[serde(flatten)]
    pub checkpoint: Checkpoint,
    /// The registry's public key, in PEM form.
    pub key: String,
    /// The signature, in hex.
    pub signature: String,
}

/// Why a checkpoint is not believed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The key.
    #[error("the key of the log cannot be used")]
    Key(#[from] KeyError),
    /// The signature.
    #[error("the checkpoint of the log was not signed by its key")]
    Signature,
    /// Another key than before.
    #[error("the log is signed by another key than before: {found} instead of {known}")]
    OtherKey {
        /// The key that was seen before.
        known: String,
        /// The key now.
        found: String,
    },
}

impl Checkpoint {
    /// The words that are signed.
    fn message(&self) -> String {
        let Self { size, root, time } = self;
        format!("skillyard registry log v1\n{size}\n{root}\n{time}\n")
    }

    /// Signs it.
    pub fn sign(self, key: &SigningKey) -> Result<SignedCheckpoint, KeyError> {
        let signature = hex::encode(key.sign(self.message().as_bytes()));
        Ok(SignedCheckpoint {
            key: key.public()?.to_pem(),
            checkpoint: self,
            signature,
        })
    }
}

impl SignedCheckpoint {
    /// Checks the signature, and that the key is the `known` one; returns the key's id.
    pub fn check(&self, known: Option<&str>) -> Result<String, CheckpointError> {
        let key = PublicKey::from_pem(&self.key)?;
        let found = key.id().to_string();
        if let Some(known) = known.filter(|known| *known != found) {
            return Err(CheckpointError::OtherKey {
                known: known.to_owned(),
                found,
            });
        }
        let signature = hex::decode(&self.signature).unwrap_or_default();
        if key.has_signed(self.checkpoint.message().as_bytes(), &signature) {
            Ok(found)
        } else {
            Err(CheckpointError::Signature)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Algorithm;

    fn key(seed: u8) -> SigningKey {
        let fill = |bytes: &mut [u8]| -> Result<(), std::convert::Infallible> {
            bytes.fill(seed);
            Ok(())
        };
        SigningKey::generate(Algorithm::Ed25519, fill).unwrap()
    }

    #[test]
    fn a_changed_checkpoint_and_another_key_are_found_out() {
        let checkpoint = Checkpoint {
            size: 3,
            root: Digest::of(b"x"),
            time: "2026-11-15T08:00:00Z".into(),
        };
        let signed = checkpoint.clone().sign(&key(1)).unwrap();
        let id = signed.check(None).unwrap();
        assert_eq!(signed.check(Some(&id)).unwrap(), id);
        let mut longer = signed.clone();
        longer.checkpoint.size = 4;
        assert!(matches!(
            longer.check(None),
            Err(CheckpointError::Signature)
        ));
        let other = checkpoint.sign(&key(2)).unwrap();
        assert!(matches!(
            other.check(Some(&id)),
            Err(CheckpointError::OtherKey { .. })
        ));
    }
}
