//! An entry of the transparency log, with the log's promise and the proof that it is included.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::signature::certificate::Certificate;
use crate::signature::dsse::{self, Envelope, EnvelopeError};
use crate::signature::key::PublicKey;
use crate::signature::sigstore::SigstoreError;
use crate::signature::sigstore::trust_root::TrustRoot;

/// Most steps of a proof: a log of 2⁶⁴ entries has no more.
const MAX_STEPS: usize = 64;

/// An entry that has not been checked yet.
#[derive(Debug)]
pub(super) struct LogEntry {
    log: Vec<u8>,
    kind: EntryKind,
    body: Vec<u8>,
    promise: Option<InclusionPromise>,
    proof: InclusionProof,
}

/// What an entry is about; each version of the log has its own way to say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Envelope,
    Hash,
}

/// The first version of the log promises when and where an entry is kept.
#[derive(Debug)]
struct InclusionPromise {
    index: u64,
    time: i64,
    signature: Vec<u8>,
}

#[derive(Debug)]
struct InclusionProof {
    index: u64,
    size: u64,
    root: Vec<u8>,
    hashes: Vec<Vec<u8>>,
    checkpoint: String,
}

impl LogEntry {
    pub(super) fn parse(value: &Value) -> Result<Self, SigstoreError> {
        let kind = field(value, "kindVersion")?;
        let kind = match (dsse::text(kind, "kind")?, dsse::text(kind, "version")?) {
            ("dsse", "0.0.1") => EntryKind::Envelope,
            ("hashedrekord", "0.0.2") => EntryKind::Hash,
            (kind, version) => {
                let told = format!("{kind} {version}");
                return Err(SigstoreError::Kind(told.chars().take(50).collect()));
            }
        };
        Ok(Self {
            log: dsse::bytes(field(value, "logId")?, "keyId")?,
            kind,
            body: dsse::bytes(value, "canonicalizedBody")?,
            promise: match value.get("inclusionPromise") {
                Some(promise) => Some(InclusionPromise::parse(value, promise)?),
                None => None,
            },
            proof: InclusionProof::parse(field(value, "inclusionProof")?)?,
        })
    }

    /// Whether the log itself says when the entry was made.
    pub(super) fn is_promised(&self) -> bool {
        self.promise.is_some()
    }

    /// Checks the promise and the proof, and tells when the entry was made, where the log itself
    /// does not say so as a stamp does.
    pub(super) fn verify(
        &self,
        root: &TrustRoot,
        stamped: Option<Timestamp>,
    ) -> Result<Timestamp, SigstoreError> {
        let promised = match &self.promise {
            Some(promise) => Some(
                Timestamp::from_second(promise.time)
                    .map_err(|_| EnvelopeError::Field("integratedTime"))?,
            ),
            None => None,
        };
        let time = promised.or(stamped).ok_or_else(|| {
            SigstoreError::invalid("neither the log nor a time stamp says when it was signed")
        })?;
        let key = root
            .log(&self.log, time)
            .ok_or(SigstoreError::UnknownLog("transparency log"))?;
        if let Some(promise) = &self.promise {
            promise.verify(self, key)?;
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
        let kind = (dsse::text(&body, "kind")?, dsse::text(&body, "apiVersion")?);
        let spec = field(&body, "spec")?;
        let (signature, certificate) = match (self.kind, kind) {
            (EntryKind::Envelope, ("dsse", "0.0.1")) => about_envelope(spec, envelope)?,
            (EntryKind::Hash, ("hashedrekord", "0.0.2")) => about_hash(spec, envelope)?,
            _ => return Err(other_entry("kind of thing")),
        };
        if signature != envelope.signature()? {
            return Err(other_entry("signature"));
        }
        if certificate != leaf.der() {
            return Err(other_entry("certificate"));
        }
        Ok(())
    }
}

/// The signature and the certificate of an entry about an envelope.
fn about_envelope(spec: &Value, envelope: &Envelope) -> Result<(Vec<u8>, Vec<u8>), SigstoreError> {
    let hash = field(spec, "payloadHash")?;
    let payload = hex::encode(Sha256::digest(&envelope.payload));
    if (dsse::text(hash, "algorithm")?, dsse::text(hash, "value")?) != ("sha256", &payload) {
        return Err(other_entry("statement"));
    }
    let signatures = spec.get("signatures").and_then(Value::as_array);
    let [signature] = signatures.map(Vec::as_slice).unwrap_or_default() else {
        return Err(EnvelopeError::Field("signatures").into());
    };
    let verifier = String::from_utf8(dsse::bytes(signature, "verifier")?);
    let verifier = verifier.map_err(|_| EnvelopeError::Field("verifier"))?;
    let certificate = Certificate::from_pem(&verifier)?.der().to_vec();
    Ok((dsse::bytes(signature, "signature")?, certificate))
}

/// The signature and the certificate of an entry about the hash of what was signed.
fn about_hash(spec: &Value, envelope: &Envelope) -> Result<(Vec<u8>, Vec<u8>), SigstoreError> {
    let spec = field(spec, "hashedRekordV002")?;
    let data = field(spec, "data")?;
    let is_sha256 = dsse::text(data, "algorithm")? == "SHA2_256";
    let digest = Sha256::digest(envelope.signed_bytes());
    if !is_sha256 || dsse::bytes(data, "digest")? != digest.as_slice() {
        return Err(other_entry("statement"));
    }
    let signature = field(spec, "signature")?;
    let verifier = field(field(signature, "verifier")?, "x509Certificate")?;
    Ok((
        dsse::bytes(signature, "content")?,
        dsse::bytes(verifier, "rawBytes")?,
    ))
}

impl InclusionPromise {
    fn parse(entry: &Value, promise: &Value) -> Result<Self, EnvelopeError> {
        let time = number(entry, "integratedTime")?.try_into();
        Ok(Self {
            index: number(entry, "logIndex")?,
            time: time.map_err(|_| EnvelopeError::Field("integratedTime"))?,
            signature: dsse::bytes(promise, "signedEntryTimestamp")?,
        })
    }

    fn verify(&self, entry: &LogEntry, key: &PublicKey) -> Result<(), SigstoreError> {
        // In the order of the keys and without spaces, as the log signs it.
        let promised = json!({
            "body": STANDARD.encode(&entry.body),
            "integratedTime": self.time,
            "logID": hex::encode(&entry.log),
            "logIndex": self.index,
        });
        if key.has_signed(promised.to_string().as_bytes(), &self.signature) {
            Ok(())
        } else {
            Err(SigstoreError::invalid(
                "the log's promise is not signed by the log",
            ))
        }
    }
}

impl InclusionProof {
    fn parse(value: &Value) -> Result<Self, SigstoreError> {
        let hashes = value.get("hashes").and_then(Value::as_array);
        let hashes = hashes.map(Vec::as_slice).unwrap_or_default();
        if hashes.len() > MAX_STEPS {
            return Err(not_included());
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
            return Err(not_included());
        }
        let (text, signatures) = self.checkpoint.split_once("\n\n").ok_or_else(not_signed)?;
        let mut lines = text.lines().skip(1);
        let size = lines.next().and_then(|line| line.parse::<u64>().ok());
        let root = lines.next().and_then(|line| STANDARD.decode(line).ok());
        if size != Some(self.size) || root.as_deref() != Some(&self.root) {
            return Err(not_included());
        }
        let message = format!("{text}\n");
        let is_signed = signatures.lines().any(|line| {
            let encoded = line.rsplit(' ').next().unwrap_or_default();
            let signature = STANDARD.decode(encoded).unwrap_or_default();
            // Four bytes tell which key it was; there is only one that counts.
            let signature = signature.get(4..).unwrap_or_default();
            key.has_signed(message.as_bytes(), signature)
        });
        if is_signed { Ok(()) } else { Err(not_signed()) }
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

fn other_entry(what: &str) -> SigstoreError {
    SigstoreError::Invalid(format!("the log entry is about another {what}"))
}

fn not_included() -> SigstoreError {
    SigstoreError::invalid("the log's inclusion proof does not lead to its checkpoint")
}

fn not_signed() -> SigstoreError {
    SigstoreError::invalid("the log's checkpoint is not signed by the log")
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
