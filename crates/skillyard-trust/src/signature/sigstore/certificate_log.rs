//! Whether a certificate was made in public: its entry in a certificate log (RFC 6962), as a time
//! stamp inside the certificate itself.
//!
//! The log signs the certificate as it was before that stamp was put in, so the stamp is cut out
//! and the lengths around it are recomputed.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use x509_cert::der::Encode as _;
use x509_cert::der::asn1::ObjectIdentifier;

use crate::signature::certificate::Certificate;
use crate::signature::sigstore::der::{element, wrapped};
use crate::signature::sigstore::trust_root::TrustRoot;

const TIMESTAMPS_EXTENSION: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.11129.2.4.2");

/// One stamp of a log.
struct LogTimestamp<'a> {
    log: &'a [u8],
    time: u64,
    extensions: &'a [u8],
    signature: &'a [u8],
}

/// Whether a log that was trusted at that time has the certificate.
pub(super) fn is_logged(
    leaf: &Certificate,
    issuer: &Certificate,
    root: &TrustRoot,
    time: Timestamp,
) -> bool {
    let extensions = leaf.parsed().tbs_certificate().extensions();
    let mut found = extensions.into_iter().flatten();
    let found = found.find(|each| each.extn_id == TIMESTAMPS_EXTENSION);
    let Some(list) = found.and_then(|each| stamps(each.extn_value.as_bytes())) else {
        return false;
    };
    let Some(before) = without_stamps(leaf) else {
        return false;
    };
    let issuer = Sha256::digest(issuer.key().spki());
    list.iter().any(|stamp| {
        let Some(key) = root.certificate_log(stamp.log, time) else {
            return false;
        };
        signed_bytes(stamp, &issuer, &before)
            .is_some_and(|message| key.has_signed(&message, stamp.signature))
    })
}

/// What the log signs: version 1, a time stamp, of a certificate not yet issued.
fn signed_bytes(stamp: &LogTimestamp<'_>, issuer: &[u8], before: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = vec![0, 0];
    bytes.extend(stamp.time.to_be_bytes());
    bytes.extend([0, 1]);
    bytes.extend(issuer);
    let length = u32::try_from(before.len()).ok()?.to_be_bytes();
    bytes.extend(&length[1..]);
    bytes.extend(before);
    bytes.extend(u16::try_from(stamp.extensions.len()).ok()?.to_be_bytes());
    bytes.extend(stamp.extensions);
    Some(bytes)
}

/// The stamps in the extension, which is an octet string around a list with lengths.
fn stamps(extension: &[u8]) -> Option<Vec<LogTimestamp<'_>>> {
    let (4, list, []) = element(extension)? else {
        return None;
    };
    let (mut rest, []) = counted(list)? else {
        return None;
    };
    let mut stamps = Vec::new();
    while !rest.is_empty() {
        let (stamp, behind) = counted(rest)?;
        rest = behind;
        let (version, stamp) = stamp.split_first()?;
        let (log, stamp) = stamp.split_at_checked(32)?;
        let (time, stamp) = stamp.split_first_chunk::<8>()?;
        let (extensions, stamp) = counted(stamp)?;
        let (algorithm, stamp) = stamp.split_first_chunk::<2>()?;
        let (signature, []) = counted(stamp)? else {
            return None;
        };
        // Version 1; SHA-256 with ECDSA, which is what the logs use.
        if *version == 0 && *algorithm == [4, 3] {
            stamps.push(LogTimestamp {
                log,
                time: u64::from_be_bytes(*time),
                extensions,
                signature,
            });
        }
    }
    Some(stamps)
}

/// Bytes behind a length of two bytes, and what follows them.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<2>()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// The signed part of a certificate without its stamps.
fn without_stamps(leaf: &Certificate) -> Option<Vec<u8>> {
    let tbs = leaf.parsed().tbs_certificate().to_der().ok()?;
    let stamps = TIMESTAMPS_EXTENSION.to_der().ok()?;
    let (0x30, mut fields, []) = element(&tbs)? else {
        return None;
    };
    let mut kept = Vec::new();
    while !fields.is_empty() {
        let (tag, content, rest) = element(fields)?;
        if tag == 0xa3 {
            let (0x30, mut extensions, []) = element(content)? else {
                return None;
            };
            let mut others = Vec::new();
            while !extensions.is_empty() {
                let (_, extension, behind) = element(extensions)?;
                if !extension.starts_with(&stamps) {
                    others.extend(&extensions[..extensions.len() - behind.len()]);
                }
                extensions = behind;
            }
            kept.extend(wrapped(0xa3, &wrapped(0x30, &others)));
        } else {
            kept.extend(&fields[..fields.len() - rest.len()]);
        }
        fields = rest;
    }
    Some(wrapped(0x30, &kept))
}
