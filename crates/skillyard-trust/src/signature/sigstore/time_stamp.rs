//! Time stamps of RFC 3161: an authority says that a signature existed at a time.
//!
//! Only what Sigstore's authorities make is read: one signer, with signed attributes, whose
//! certificate stands in the trust root. Certificates inside the stamp are ignored, so none
//! of them can be trusted by mistake.

use jiff::Timestamp;
use x509_cert::der::asn1::ObjectIdentifier;

use crate::signature::certificate;
use crate::signature::certificate::Purpose;
use crate::signature::key::Hash;
use crate::signature::sigstore::SigstoreError;
use crate::signature::sigstore::der::{
    DerReader, GENERALIZED_TIME, INTEGER, OCTETS, SEQUENCE, SET, wrapped,
};
use crate::signature::sigstore::trust_root::TrustRoot;

const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
const TIMESTAMP_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");

const EXPLICIT_0: u8 = 0xa0;
const EXPLICIT_1: u8 = 0xa1;

/// A stamp, taken apart.
struct TimestampToken<'a> {
    /// What the authority says.
    content: &'a [u8],
    /// The hash of that content, as the signer used it.
    digest: Hash,
    /// The attributes, without their tag.
    attributes: &'a [u8],
    /// The hash that the signature is made over.
    hash: Hash,
    signature: &'a [u8],
}

/// Checks that a stamp is about these bytes, and tells the time.
pub(super) fn verify(
    stamp: &[u8],
    stamped: &[u8],
    root: &TrustRoot,
) -> Result<Timestamp, SigstoreError> {
    let stamp = parse(stamp).ok_or_else(|| invalid("it cannot be read"))?;
    let (imprint, time) = content(stamp.content).ok_or_else(|| invalid("it cannot be read"))?;
    if imprint.1 != imprint.0.of(stamped) {
        return Err(invalid("it is about another signature"));
    }
    if !fits(&stamp) {
        return Err(invalid("its attributes are not about it"));
    }
    // What is signed is the set itself, and not the part of the structure that it is.
    let message = wrapped(SET, stamp.attributes);
    for authority in root.stampers_at(time) {
        let Some((top, below)) = authority.split_last() else {
            continue;
        };
        let Ok(path) = certificate::find_path(below, &[top], time, Purpose::TimeStamping) else {
            continue;
        };
        let signer = path.certificates.first().map(|signer| signer.key());
        let by_it = |key: &crate::signature::key::PublicKey| {
            key.has_signed_with(stamp.hash, &message, stamp.signature)
        };
        if signer.is_some_and(by_it) {
            return Ok(time);
        }
    }
    Err(invalid("no time stamp authority of the trust root made it"))
}

fn invalid(reason: &str) -> SigstoreError {
    SigstoreError::Invalid(format!("a time stamp cannot be believed: {reason}"))
}

fn parse(bytes: &[u8]) -> Option<TimestampToken<'_>> {
    let mut response = DerReader(bytes).enter(SEQUENCE)?;
    let mut status = response.enter(SEQUENCE)?;
    // Granted, or granted with changes.
    let ([0 | 1], true) = (status.take(INTEGER)?, status.is_empty()) else {
        return None;
    };
    let mut token = response.enter(SEQUENCE)?;
    if !token.is_object(SIGNED_DATA) {
        return None;
    }
    let mut data = token.enter(EXPLICIT_0)?.enter(SEQUENCE)?;
    data.take(INTEGER)?;
    data.take(SET)?;
    let mut inner = data.enter(SEQUENCE)?;
    if !inner.is_object(TIMESTAMP_INFO) {
        return None;
    }
    let content = inner.enter(EXPLICIT_0)?.take(OCTETS)?;
    data.take(EXPLICIT_0);
    data.take(EXPLICIT_1);
    let mut signers = data.enter(SET)?;
    let mut signer = signers.enter(SEQUENCE)?;
    if !signers.is_empty() {
        return None;
    }
    signer.take(INTEGER)?;
    signer.any()?;
    let digest = Hash::of_digest(signer.enter(SEQUENCE)?.object()?)?;
    let attributes = signer.take(EXPLICIT_0)?;
    let hash = Hash::of_ecdsa(signer.enter(SEQUENCE)?.object()?)?;
    Some(TimestampToken {
        content,
        digest,
        attributes,
        hash,
        signature: signer.take(OCTETS)?,
    })
}

/// The hash that is stamped, and the time.
fn content(bytes: &[u8]) -> Option<((Hash, Vec<u8>), Timestamp)> {
    let mut content = DerReader(bytes).enter(SEQUENCE)?;
    content.take(INTEGER)?;
    content.object()?;
    let mut imprint = content.enter(SEQUENCE)?;
    let hash = Hash::of_digest(imprint.enter(SEQUENCE)?.object()?)?;
    let imprint = imprint.take(OCTETS)?.to_vec();
    content.take(INTEGER)?;
    let time = std::str::from_utf8(content.take(GENERALIZED_TIME)?).ok()?;
    Some(((hash, imprint), generalized(time)?))
}

/// `20251010021220Z`, perhaps with parts of a second, which do not matter here.
fn generalized(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z')?;
    let whole = text.split('.').next()?;
    if whole.len() != 14 || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (date, time) = whole.split_at(8);
    let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
    let (hour, minute, second) = (&time[..2], &time[2..4], &time[4..]);
    format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z")
        .parse()
        .ok()
}

/// Whether the attributes that are signed name this content, each once.
fn fits(stamp: &TimestampToken<'_>) -> bool {
    let (mut kinds, mut digests) = (Vec::new(), Vec::new());
    let mut attributes = DerReader(stamp.attributes);
    while let Some(mut attribute) = attributes.enter(SEQUENCE) {
        let id = attribute.object();
        let Some(mut values) = attribute.enter(SET) else {
            return false;
        };
        match id {
            Some(CONTENT_TYPE) => kinds.push(values.object()),
            Some(MESSAGE_DIGEST) => digests.push(values.take(OCTETS)),
            _ => {}
        }
    }
    let digest = stamp.digest.of(stamp.content);
    attributes.is_empty() && kinds == [Some(TIMESTAMP_INFO)] && digests == [Some(digest.as_slice())]
}
