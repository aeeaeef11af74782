//! Rotation: the old key says which key comes after it.

use jiff::Timestamp;
use serde_json::json;

use crate::signature::dsse::{self, Envelope, EnvelopeError, seal};
use crate::signature::key::{KeyError, KeyId, PublicKey};
use crate::signature::policy::Moment;
use crate::signature::signing_key::SigningKey;

const PAYLOAD_TYPE: &str = "application/vnd.skillyard.key-rotation+json";

/// Why a rotation says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RotationError {
    /// The envelope or its JSON.
    #[error("the rotation statement cannot be used: {0}")]
    Envelope(#[from] EnvelopeError),
    /// A key that cannot be used.
    #[error("the rotation statement names a key that cannot be used: {0}")]
    Key(#[from] KeyError),
    /// It is unsigned or signed by another key.
    #[error("the rotation statement is not signed by the key {0} that it replaces")]
    NotSigned(KeyId),
}

/// A statement that one key comes after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    /// The key that was used so far.
    pub from: KeyId,
    /// The key that is used from then on.
    pub to: PublicKey,
    /// When.
    pub time: Timestamp,
    envelope: Envelope,
}

impl Rotation {
    /// Reads a statement; it is trusted only after [`Rotation::check`].
    pub fn parse(text: &[u8]) -> Result<Self, RotationError> {
        let envelope = Envelope::parse(text, PAYLOAD_TYPE)?;
        envelope.signature()?;
        let value = dsse::parse(&envelope.payload)?;
        let time: Result<Moment, _> = dsse::text(&value, "time")?.parse();
        Ok(Self {
            from: dsse::text(&value, "from")?.parse()?,
            to: PublicKey::from_pem(dsse::text(&value, "to")?)?,
            time: time.map_err(|_| EnvelopeError::Field("time"))?.0,
            envelope,
        })
    }

    /// Whether the old key made it.
    pub fn check(&self, old: &PublicKey) -> Result<(), RotationError> {
        if old.id() == self.from && self.envelope.is_signed_by(old) {
            Ok(())
        } else {
            Err(RotationError::NotSigned(self.from))
        }
    }
}

/// Makes the statement that `new` comes after `old`.
pub fn rotate(old: &SigningKey, new: &PublicKey, time: Timestamp) -> Result<String, KeyError> {
    let payload = json!({
        "from": old.public()?.id().to_string(),
        "to": new.to_pem(),
        "time": time.to_string(),
    });
    Ok(seal(PAYLOAD_TYPE, payload.to_string().as_bytes(), &[old]).to_string())
}
