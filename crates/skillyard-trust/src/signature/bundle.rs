//! Sigstore bundles: an envelope and what is needed to check it.

use serde_json::{Value, json};

use crate::signature::dsse::{self, Envelope, EnvelopeError, seal};
use crate::signature::key::{KeyError, KeyId};
use crate::signature::signing_key::SigningKey;
use crate::signature::statement;
use crate::signature::statement::{ReleaseDetails, StatementError};
use crate::signature::tree::Tree;

const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// The type of the payload of a skill's signature.
pub(super) const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// Most certificates in a bundle.
const MAX_CERTIFICATES: usize = 10;

/// Most time stamps in a bundle.
const MAX_STAMPS: usize = 8;

/// Why a bundle cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// The envelope or the JSON around it.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// A bundle with unsupported contents.
    #[error("{0}")]
    Invalid(String),
}

/// A bundle whose signature has not been looked at yet.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub(super) envelope: Envelope,
    pub(super) material: Material,
    /// The entries of a transparency log, as they were found.
    pub(super) log_entries: Vec<Value>,
    /// Time stamps over the signature.
    pub(super) time_stamps: Vec<Vec<u8>>,
}

/// What a signature is to be checked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Material {
    /// A public key that the verifier must have; its id, unless an old tool left it out.
    Key(Option<KeyId>),
    /// Certificates in DER form, the signer's first.
    Chain(Vec<Vec<u8>>),
}

impl Bundle {
    pub(super) fn parse(text: &[u8]) -> Result<Self, BundleError> {
        let value = dsse::parse(text)?;
        let media_type = dsse::text(&value, "mediaType")?;
        if media_type != MEDIA_TYPE {
            let found: String = media_type.chars().take(100).collect();
            return Err(BundleError::Invalid(format!(
                "it is a `{found}`, and `{MEDIA_TYPE}` is expected"
            )));
        }
        if value.get("messageSignature").is_some() {
            return Err(EnvelopeError::Field("dsseEnvelope").into());
        }
        let envelope = value.get("dsseEnvelope");
        let envelope = envelope.ok_or(EnvelopeError::Field("dsseEnvelope"))?;
        let material = value.get("verificationMaterial");
        let material = material.ok_or(EnvelopeError::Field("verificationMaterial"))?;
        let log_entries = match material.get("tlogEntries") {
            None => Vec::new(),
            Some(Value::Array(entries)) => entries.clone(),
            Some(_) => return Err(EnvelopeError::Field("tlogEntries").into()),
        };
        let envelope = Envelope::from_value(envelope, PAYLOAD_TYPE)?;
        envelope.signature()?;
        Ok(Self {
            envelope,
            material: Material::parse(material)?,
            log_entries,
            time_stamps: time_stamps(material)?,
        })
    }
}

fn time_stamps(material: &Value) -> Result<Vec<Vec<u8>>, BundleError> {
    let list = material.pointer("/timestampVerificationData/rfc3161Timestamps");
    let list = list.and_then(Value::as_array);
    let list = list.map(Vec::as_slice).unwrap_or_default();
    if list.len() > MAX_STAMPS {
        return Err(BundleError::Invalid(format!(
            "it has {} time stamps, and at most {MAX_STAMPS} are expected",
            list.len()
        )));
    }
    let stamps = list.iter().map(|each| dsse::bytes(each, "signedTimestamp"));
    Ok(stamps.collect::<Result<_, _>>()?)
}

impl Material {
    fn parse(value: &Value) -> Result<Self, BundleError> {
        let kinds = ["publicKey", "x509CertificateChain", "certificate"];
        let mut named = kinds.iter().filter_map(|kind| value.get(kind));
        let (Some(found), None) = (named.next(), named.next()) else {
            let count = kinds.iter().filter(|kind| value.get(kind).is_some());
            return Err(BundleError::Invalid(format!(
                "it names {} ways to check it (key, certificate, chain), and exactly one is expected",
                count.count()
            )));
        };
        if value.get("publicKey").is_some() {
            let hint = found.get("hint").and_then(Value::as_str);
            let hint = hint.filter(|hint| !hint.is_empty()).map(str::parse);
            let hint = hint.transpose().map_err(|_| EnvelopeError::Field("hint"))?;
            return Ok(Self::Key(hint));
        }
        if value.get("certificate").is_some() {
            return Ok(Self::Chain(vec![dsse::bytes(found, "rawBytes")?]));
        }
        let list = found.get("certificates").and_then(Value::as_array);
        let list = list.ok_or(EnvelopeError::Field("certificates"))?;
        if list.is_empty() || list.len() > MAX_CERTIFICATES {
            return Err(BundleError::Invalid(format!(
                "its chain has {} certificates, and 1 to {MAX_CERTIFICATES} are expected",
                list.len()
            )));
        }
        let chain = list.iter().map(|each| dsse::bytes(each, "rawBytes"));
        Ok(Self::Chain(chain.collect::<Result<_, _>>()?))
    }
}

/// A statement in a bundle signed by the key.
pub(super) fn signed_bundle(statement: &[u8], key: &SigningKey, id: KeyId) -> String {
    let bundle = json!({
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": {
            "publicKey": { "hint": id.to_string() },
            "tlogEntries": [],
        },
        "dsseEnvelope": seal(PAYLOAD_TYPE, statement, &[key]),
    });
    bundle.to_string()
}

/// Why a skill cannot be signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The skill.
    #[error(transparent)]
    Skill(#[from] StatementError),
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// The content of `skill.oms.sig` for a skill in a folder of this name.
pub fn sign(
    tree: &Tree,
    folder: &str,
    details: &ReleaseDetails,
    key: &SigningKey,
) -> Result<String, SignError> {
    let public = key.public()?;
    let statement = statement::statement_text(tree, folder, details, &public)?;
    Ok(signed_bundle(&statement, key, public.id()))
}
