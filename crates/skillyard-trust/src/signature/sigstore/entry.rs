//! An entry of the transparency log, with the log's promise and the proof that it is included.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::SigstoreError;
use super::trust_root::TrustRoot;
use crate::signature::certificate::Certificate;
use crate::signature::dsse::{self, Envelope, EnvelopeError};
use crate::signature::key::PublicKey;

/// Most steps of a proof: a log of 2⁶⁴ entries has no more.
const MAX_STEPS: usize = 64;

/// An entry that has not been checked yet.
#[derive(Debug)]
pub(super) struct LogEntry {
    log: Vec<u8>,
    index: u64,
    time: i64,
    body: Vec<u8>,
    promise: Vec<u8>,
    proof: Proof,
}

#[derive(Debug)]
struct Proof {
    index: u64,
    size: u64,
    root: Vec<u8>,
    hashes: Vec<Vec<u8>>,
    checkpoint: String,
}

impl LogEntry {
    pub(super) fn parse(value: &Value) -> Result<Self, SigstoreError> {
        let kind = field(value, "kindVersion")?;
        let kind = (dsse::text(kind, "kind")?, dsse::text(kind, "version")?);
        if kind != ("dsse", "0.0.1") {
            let told = format!("{} {}", kind.0, kind.1);
            return Err(SigstoreError::Kind(told.chars().take(50).collect()));
        }
        let promise = value
            .get("inclusionPromise")
            .ok_or(SigstoreError::NoPromise)?;
        Ok(Self {
            log: dsse::bytes(field(value, "logId")?, "keyId")?,
            index: number(value, "logIndex")?,
            time: number(value, "integratedTime")?
                .try_into()
                .map_err(|_| EnvelopeError::Field("integratedTime"))?,
            body: dsse::bytes(value, "canonicalizedBody")?,
            promise: dsse::bytes(promise, "signedEntryTimestamp")?,
            proof: Proof::parse(field(value, "inclusionProof")?)?,
        })
    }

    /// Checks the promise and the proof, and tells when the entry was made.
    pub(super) fn verify(&self, root: &TrustRoot) -> Result<Timestamp, SigstoreError> {
        let time = Timestamp::from_second(self.time)
            .map_err(|_| EnvelopeError::Field("integratedTime"))?;
        let key = root
            .log(&self.log, time)
            .ok_or(SigstoreError::UnknownLog("transparency log"))?;
        // In the order of the keys and without spaces, as the log signs it.
        let promised = json!({
            "body": STANDARD.encode(&self.body),
            "integratedTime": self.time,
            "logID": hex::encode(&self.log),
            "logIndex": self.index,
        });
        if !key.has_signed(promised.to_string().as_bytes(), &self.promise) {
            return Err(SigstoreError::Promise);
        }
        self.proof.verify(&self.body, key)?;
        Ok(time)
    }

    /// Whether the entry is about this envelope, signed with this certificate.
    pub(super) fn is_about(
        &self,
        envelope: &Envelope,
        leaf: &Certificate,
    ) -> Result<(), SigstoreError> {
        let body = dsse::parse(&self.body)?;
        if (dsse::text(&body, "kind")?, dsse::text(&body, "apiVersion")?) != ("dsse", "0.0.1") {
            return Err(SigstoreError::OtherEntry("kind of thing"));
        }
        let spec = field(&body, "spec")?;
        let hash = field(spec, "payloadHash")?;
        let payload = hex::encode(Sha256::digest(&envelope.payload));
        if (dsse::text(hash, "algorithm")?, dsse::text(hash, "value")?) != ("sha256", &payload) {
            return Err(SigstoreError::OtherEntry("statement"));
        }
        let signatures = spec.get("signatures").and_then(Value::as_array);
        let [signature] = signatures.map(Vec::as_slice).unwrap_or_default() else {
            return Err(EnvelopeError::Field("signatures").into());
        };
        if dsse::bytes(signature, "signature")? != envelope.signature()? {
            return Err(SigstoreError::OtherEntry("signature"));
        }
        let verifier = String::from_utf8(dsse::bytes(signature, "verifier")?);
        let verifier = verifier.map_err(|_| EnvelopeError::Field("verifier"))?;
        if Certificate::from_pem(&verifier)?.der() != leaf.der() {
            return Err(SigstoreError::OtherEntry("certificate"));
        }
        Ok(())
    }
}

impl Proof {
    fn parse(value: &Value) -> Result<Self, SigstoreError> {
        let hashes = value.get("hashes").and_then(Value::as_array);
        let hashes = hashes.map(Vec::as_slice).unwrap_or_default();
        if hashes.len() > MAX_STEPS {
            return Err(SigstoreError::Inclusion);
        }
        let hashes = hashes.iter().map(|each| {
            let bytes = each.as_str().and_then(|text| STANDARD.decode(text).ok());
            bytes.ok_or(EnvelopeError::Base64("hashes"))
        });
        Ok(Self {
            index: number(value, "logIndex")?,
            size: number(value, "treeSize")?,
            root: dsse::bytes(value, "rootHash")?,
            hashes: hashes.collect::<Result<_, _>>()?,
            checkpoint: dsse::text(field(value, "checkpoint")?, "envelope")?.to_owned(),
        })
    }

    fn verify(&self, body: &[u8], key: &PublicKey) -> Result<(), SigstoreError> {
        if self.computed_root(body).as_deref() != Some(&self.root) {
            return Err(SigstoreError::Inclusion);
        }
        let (text, signatures) = self
            .checkpoint
            .split_once("\n\n")
            .ok_or(SigstoreError::Checkpoint)?;
        let mut lines = text.lines().skip(1);
        let size = lines.next().and_then(|line| line.parse::<u64>().ok());
        let root = lines.next().and_then(|line| STANDARD.decode(line).ok());
        if size != Some(self.size) || root.as_deref() != Some(&self.root) {
            return Err(SigstoreError::Inclusion);
        }
        let message = format!("{text}\n");
        let is_signed = signatures.lines().any(|line| {
            let encoded = line.rsplit(' ').next().unwrap_or_default();
            let signature = STANDARD.decode(encoded).unwrap_or_default();
            // Four bytes tell which key it was; there is only one that counts.
            let signature = signature.get(4..).unwrap_or_default();
            key.has_signed(message.as_bytes(), signature)
        });
        if is_signed {
            Ok(())
        } else {
            Err(SigstoreError::Checkpoint)
        }
    }

    /// The root of the log that follows from the entry and the hashes beside its path (RFC 6962).
    fn computed_root(&self, body: &[u8]) -> Option<Vec<u8>> {
        if self.index >= self.size {
            return None;
        }
        let (mut node, mut last) = (self.index, self.size - 1);
        let mut hash = Sha256::new()
            .chain_update([0])
            .chain_update(body)
            .finalize()
            .to_vec();
        for sibling in &self.hashes {
            if last == 0 {
                return None;
            }
            let is_right = node % 2 == 1;
            let (left, right) = if is_right || node == last {
                (sibling, &hash)
            } else {
                (&hash, sibling)
            };
            let parent = Sha256::new().chain_update([1]).chain_update(left);
            hash = parent.chain_update(right).finalize().to_vec();
            if !is_right && node == last {
                // The last node of a level that has no right neighbour moves up as it is.
                while node % 2 == 0 && node != 0 {
                    (node, last) = (node >> 1, last >> 1);
                }
            }
            (node, last) = (node >> 1, last >> 1);
        }
        (last == 0).then_some(hash)
    }
}

fn field<'a>(value: &'a Value, name: &'static str) -> Result<&'a Value, EnvelopeError> {
    value.get(name).ok_or(EnvelopeError::Field(name))
}

/// A number, which this form of JSON writes as text.
fn number(value: &Value, name: &'static str) -> Result<u64, EnvelopeError> {
    match value.get(name) {
        Some(Value::String(text)) => text.parse().map_err(|_| EnvelopeError::Field(name)),
        Some(Value::Number(number)) => number.as_u64().ok_or(EnvelopeError::Field(name)),
        _ => Err(EnvelopeError::Field(name)),
    }
}
