//! Certificates of every shape, written byte by byte, since no honest tool makes most of them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use skillyard_trust::signature::{Algorithm, SigningKey};

/// A DER element.
pub(crate) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap();
    let mut bytes = vec![tag];
    match length {
        0..=0x7f => bytes.push(u8::try_from(length).unwrap()),
        0x80..=0xff => bytes.extend([0x81, u8::try_from(length).unwrap()]),
        _ => {
            bytes.push(0x82);
            bytes.extend(length.to_be_bytes());
        }
    }
    bytes.extend(content);
    bytes
}

pub(crate) fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    element(0x30, &parts.concat())
}

pub(crate) fn oid(text: &str) -> Vec<u8> {
    let numbers: Vec<u64> = text.split('.').map(|each| each.parse().unwrap()).collect();
    let mut bytes = vec![u8::try_from(numbers[0] * 40 + numbers[1]).unwrap()];
    for number in &numbers[2..] {
        let mut digits = vec![u8::try_from(number & 0x7f).unwrap()];
        let mut rest = number >> 7;
        while rest > 0 {
            digits.push(0x80 | u8::try_from(rest & 0x7f).unwrap());
            rest >>= 7;
        }
        bytes.extend(digits.iter().rev());
    }
    element(6, &bytes)
}

/// A certificate to be made.
#[derive(Clone)]
pub(crate) struct Template {
    pub(crate) subject: &'static str,
    pub(crate) issuer: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    /// Each extension, whole.
    pub(crate) extensions: Vec<Vec<u8>>,
}

pub(crate) fn extension(id: &str, critical: bool, value: &[u8]) -> Vec<u8> {
    let mut parts = vec![oid(id)];
    if critical {
        parts.push(element(1, &[0xff]));
    }
    parts.push(element(4, value));
    sequence(&parts)
}

/// `basicConstraints` of an authority, with the most authorities below it.
pub(crate) fn authority(depth: Option<u8>) -> Vec<u8> {
    let mut parts = vec![element(1, &[0xff])];
    parts.extend(depth.map(|depth| element(2, &[depth])));
    extension("2.5.29.19", true, &sequence(&parts))
}

/// `keyUsage`: `0x80` to sign, `0x04` to confirm others.
pub(crate) fn usage(bits: u8) -> Vec<u8> {
    let unused = u8::try_from(bits.trailing_zeros()).unwrap();
    extension("2.5.29.15", true, &element(3, &[unused, bits]))
}

/// `extendedKeyUsage`.
pub(crate) fn purpose(id: &str) -> Vec<u8> {
    extension("2.5.29.37", false, &sequence(&[oid(id)]))
}

impl Template {
    pub(crate) fn leaf() -> Self {
        Self {
            subject: "Signer",
            issuer: "Root",
            from: "2026-01-01T00:00:00Z",
            to: "2027-01-01T00:00:00Z",
            extensions: vec![usage(0x80)],
        }
    }

    pub(crate) fn root() -> Self {
        Self {
            subject: "Root",
            issuer: "Root",
            extensions: vec![authority(None), usage(0x04)],
            ..Self::leaf()
        }
    }

    /// The part that is signed.
    pub(crate) fn unsigned(&self, key: &SigningKey, issuer: &SigningKey) -> Vec<u8> {
        let name = |text: &str| {
            let part = sequence(&[oid("2.5.4.3"), element(12, text.as_bytes())]);
            sequence(&[element(0x31, &part)])
        };
        let time = |text: &str| {
            let time: Timestamp = text.parse().unwrap();
            let time = time.to_zoned(TimeZone::UTC);
            let text = format!(
                "{:02}{:02}{:02}{:02}{:02}{:02}Z",
                time.year() % 100,
                time.month(),
                time.day(),
                time.hour(),
                time.minute(),
                time.second()
            );
            element(0x17, text.as_bytes())
        };
        sequence(&[
            element(0xa0, &element(2, &[2])),
            element(2, &[7]),
            algorithm(issuer),
            name(self.issuer),
            sequence(&[time(self.from), time(self.to)]),
            name(self.subject),
            key.public().unwrap().spki().to_vec(),
            element(0xa3, &sequence(&self.extensions)),
        ])
    }

    /// The certificate.
    pub(crate) fn made(&self, key: &SigningKey, issuer: &SigningKey) -> Vec<u8> {
        let unsigned = self.unsigned(key, issuer);
        let mut signature = vec![0];
        signature.extend(issuer.sign(&unsigned));
        sequence(&[unsigned, algorithm(issuer), element(3, &signature)])
    }
}

fn algorithm(key: &SigningKey) -> Vec<u8> {
    sequence(&[oid(match key.public().unwrap().algorithm() {
        Algorithm::Ed25519 => "1.3.101.112",
        Algorithm::P256 => "1.2.840.10045.4.3.2",
        Algorithm::P384 => "1.2.840.10045.4.3.3",
    })])
}
