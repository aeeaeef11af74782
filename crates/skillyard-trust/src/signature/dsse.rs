//! DSSE envelopes: a payload, its type, and a signature over both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::json;
use super::key::PublicKey;
use super::signing_key::SigningKey;

/// Most bytes of an envelope or bundle that are looked at.
pub const MAX_BYTES: usize = 4 << 20;

/// Why an envelope cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// More bytes than any honest one has.
    #[error("it has {0} bytes, and at most {MAX_BYTES} are read")]
    TooLong(usize),
    /// Not JSON, or a key stands twice.
    #[error("it is not proper JSON: {0}")]
    Json(String),
    /// A field that must be there, or is of another type.
    #[error("`{0}` is missing or is not what it should be")]
    Field(&'static str),
    /// Text that is not base64.
    #[error("`{0}` is not base64")]
    Base64(&'static str),
    /// A payload of another kind.
    #[error("its payload is of type `{found}`, and `{expected}` is expected")]
    PayloadType {
        /// What it says.
        found: String,
        /// What it should say.
        expected: &'static str,
    },
    /// No signature, or more than one.
    #[error("it has {0} signatures, and exactly one is expected")]
    Signatures(usize),
}

/// An envelope whose signature has not been looked at yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Envelope {
    /// What was signed.
    pub(super) payload: Vec<u8>,
    /// Each signature.
    pub(super) signatures: Vec<Vec<u8>>,
    payload_type: &'static str,
}

impl Envelope {
    /// Reads an envelope whose payload must be of the given type.
    pub(super) fn from_value(
        value: &Value,
        payload_type: &'static str,
    ) -> Result<Self, EnvelopeError> {
        let found = text(value, "payloadType")?;
        if found != payload_type {
            return Err(EnvelopeError::PayloadType {
                found: found.chars().take(100).collect(),
                expected: payload_type,
            });
        }
        let payload = bytes(value, "payload")?;
        let list = value.get("signatures").and_then(Value::as_array);
        let list = list.ok_or(EnvelopeError::Field("signatures"))?;
        let signatures = list.iter().map(|each| bytes(each, "sig"));
        Ok(Self {
            payload,
            signatures: signatures.collect::<Result<_, _>>()?,
            payload_type,
        })
    }

    /// Reads an envelope that stands alone.
    pub(super) fn parse(text: &[u8], payload_type: &'static str) -> Result<Self, EnvelopeError> {
        Self::from_value(&parse(text)?, payload_type)
    }

    /// The one signature.
    pub(super) fn signature(&self) -> Result<&[u8], EnvelopeError> {
        match self.signatures.as_slice() {
            [only] => Ok(only),
            others => Err(EnvelopeError::Signatures(others.len())),
        }
    }

    /// What a signature is made over.
    pub(super) fn signed_bytes(&self) -> Vec<u8> {
        pre_authentication(self.payload_type, &self.payload)
    }

    /// Whether the key made one of the signatures.
    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        let message = self.signed_bytes();
        let made_by = |signature: &Vec<u8>| key.has_signed(&message, signature);
        self.signatures.iter().any(made_by)
    }
}

/// A payload in an envelope signed by each of the keys.
pub(super) fn seal(payload_type: &str, payload: &[u8], keys: &[&SigningKey]) -> Value {
    let message = pre_authentication(payload_type, payload);
    let signatures: Vec<Value> = keys
        .iter()
        .map(|key| json!({ "sig": STANDARD.encode(key.sign(&message)), "keyid": "" }))
        .collect();
    json!({
        "payload": STANDARD.encode(payload),
        "payloadType": payload_type,
        "signatures": signatures,
    })
}

/// The encoding of DSSE, in which type and payload cannot flow into each other.
fn pre_authentication(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let (kind, length) = (payload_type.len(), payload.len());
    let mut bytes = format!("DSSEv1 {kind} {payload_type} {length} ").into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// Reads JSON of bounded size in which no key stands twice.
pub(super) fn parse(text: &[u8]) -> Result<Value, EnvelopeError> {
    if text.len() > MAX_BYTES {
        return Err(EnvelopeError::TooLong(text.len()));
    }
    json::parse(text).map_err(|error| EnvelopeError::Json(error.to_string()))
}

/// A field that is text.
pub(super) fn text<'a>(value: &'a Value, field: &'static str) -> Result<&'a str, EnvelopeError> {
    value
        .get(field)
        .and_then(Value::as_str)
        .ok_or(EnvelopeError::Field(field))
}

/// A field that is base64.
pub(super) fn bytes(value: &Value, field: &'static str) -> Result<Vec<u8>, EnvelopeError> {
    STANDARD
        .decode(text(value, field)?)
        .map_err(|_| EnvelopeError::Base64(field))
}
