//! DSSE envelopes: a payload, its type, and a signature over both.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

use crate::signature::key::PublicKey;
use crate::signature::signing_key::SigningKey;

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
    parse_strict(text).map_err(|error| EnvelopeError::Json(error.to_string()))
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

/// A value without repeated keys.
pub(super) struct Strict(Value);

/// Reads a whole JSON text.
pub(super) fn parse_strict(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0)
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = access.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                let key: String = key.chars().take(100).collect();
                return Err(de::Error::custom(format!("the key `{key}` is repeated")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::parse_strict;

    #[test]
    fn what_is_written_once_is_read_as_ever() {
        let text = r#"{"a": [1, -2, 0.5, "x\n", true, null, {}], "b": {"a": 1}}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(parse_strict(text.as_bytes()).unwrap(), value);
    }

    #[test]
    fn a_repeated_key_is_refused_at_every_depth_and_in_every_spelling() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"[{"x": {"a": 1, "\u0061": 2}}]"#,
            r#"{"a": 1} {"b": 2}"#,
        ] {
            assert!(parse_strict(text.as_bytes()).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse_strict(deep.as_bytes()).is_err());
    }
}
