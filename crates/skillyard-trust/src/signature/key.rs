//! Public keys, and the one name each of them has.
//!
//! A key's id is the SHA-256 of its PEM text, so that `sha256sum NAME.pub` prints it; it is also
//! the hint that Model Signing writes into a bundle. The algorithm follows from the key and is
//! never read from a signature, which is why one cannot be passed off for another.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek as ed25519;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::signature::hazmat::PrehashVerifier as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use x509_cert::der::{Decode as _, Encode as _, pem};
use x509_cert::spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};

const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const ELLIPTIC_CURVE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

/// The kind of a key, which decides how it signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Ed25519.
    #[default]
    Ed25519,
    /// ECDSA on P-256 with SHA-256.
    P256,
    /// ECDSA on P-384 with SHA-384.
    P384,
}

impl Algorithm {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ed25519 => "ed25519",
            Self::P256 => "p256",
            Self::P384 => "p384",
        }
    }
}

/// A hash that signatures of others use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The hash of an object identifier.
    pub(super) fn of_digest(id: ObjectIdentifier) -> Option<Self> {
        Self::by(id, "2.16.840.1.101.3.4.2", ["1", "2", "3"])
    }

    /// The hash that ECDSA is used with.
    pub(super) fn of_ecdsa(id: ObjectIdentifier) -> Option<Self> {
        Self::by(id, "1.2.840.10045.4.3", ["2", "3", "4"])
    }

    fn by(id: ObjectIdentifier, family: &str, members: [&str; 3]) -> Option<Self> {
        let id = id.to_string();
        let member = id.strip_prefix(family)?.strip_prefix('.')?;
        let hashes = [Self::Sha256, Self::Sha384, Self::Sha512];
        let at = members.iter().position(|each| *each == member)?;
        Some(hashes[at])
    }

    /// The hash of `bytes`.
    pub(super) fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha384 => Sha384::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }
}

/// The name of a key: the SHA-256 of its PEM text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyId([u8; 32]);

impl KeyId {
    /// The first 12 digits, for people.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for KeyId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut bytes = [0; 32];
        let lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) if lower => Ok(Self(bytes)),
            _ => Err(KeyError::Id(text.chars().take(80).collect())),
        }
    }
}

impl TryFrom<String> for KeyId {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<KeyId> for String {
    fn from(id: KeyId) -> Self {
        id.to_string()
    }
}

/// Why something is not a key, or cannot be used as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A text that is not a key's id.
    #[error("`{0}` is not a key id; one is 64 lowercase hex digits")]
    Id(String),
    /// A text without a key in it.
    #[error("it is not a key in PEM form: {0}")]
    Pem(String),
    /// Bytes that hold no key.
    #[error("its bytes are not a key: {0}")]
    Der(String),
    /// A private key where a public one belongs.
    #[error("it is a {0}, and a public key is expected")]
    OtherLabel(String),
    /// A kind of key that is not used here.
    #[error("its algorithm `{0}` is not used here; ed25519, P-256 and P-384 are")]
    Algorithm(String),
    /// A weak key, for which anyone can sign.
    #[error("it is a weak ed25519 key: its order is small, so anybody can sign for it")]
    Weak,
    /// A second spelling of a key.
    #[error("it is not in its one canonical form")]
    NotCanonical,
    /// A private key that cannot be used.
    #[error("it is not a private key that can be used: {0}")]
    Private(String),
    /// A passphrase that does not open the key.
    #[error("the passphrase is wrong, or the file was changed")]
    Passphrase,
    /// A passphrase that protects nothing.
    #[error("a passphrase has 1 to 1024 bytes")]
    PassphraseLength,
}

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    point: Point,
    spki: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq)]
enum Point {
    Ed25519(ed25519::VerifyingKey),
    P256(Box<p256::ecdsa::VerifyingKey>),
    P384(Box<p384::ecdsa::VerifyingKey>),
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.algorithm().as_str(), self.id())
    }
}

impl PublicKey {
    /// Reads a `PUBLIC KEY` in PEM form.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let (label, der) = pem::decode_vec(text.trim().as_bytes())
            .map_err(|error| KeyError::Pem(error.to_string()))?;
        if label != "PUBLIC KEY" {
            return Err(KeyError::OtherLabel(label.to_lowercase()));
        }
        Self::from_spki(&der)
    }

    /// Reads a `SubjectPublicKeyInfo`.
    pub fn from_spki(der: &[u8]) -> Result<Self, KeyError> {
        let unreadable = |error: &dyn fmt::Display| KeyError::Der(error.to_string());
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(|error| unreadable(&error))?;
        if info.to_der().map_err(|error| unreadable(&error))? != der {
            return Err(KeyError::NotCanonical);
        }
        let point = match info.algorithm.oid {
            ED25519 if info.algorithm.parameters.is_none() => Point::Ed25519(ed25519_point(
                info.subject_public_key.as_bytes().unwrap_or_default(),
            )?),
            ELLIPTIC_CURVE => match info.algorithm.parameters_oid() {
                Ok(P256) => Point::P256(Box::new(
                    info.try_into().map_err(|error| unreadable(&error))?,
                )),
                Ok(P384) => Point::P384(Box::new(
                    info.try_into().map_err(|error| unreadable(&error))?,
                )),
                Ok(curve) => return Err(KeyError::Algorithm(curve.to_string())),
                Err(error) => return Err(unreadable(&error)),
            },
            other => return Err(KeyError::Algorithm(other.to_string())),
        };
        Ok(Self {
            point,
            spki: der.to_vec(),
        })
    }

    /// What kind of key it is.
    pub fn algorithm(&self) -> Algorithm {
        match self.point {
            Point::Ed25519(_) => Algorithm::Ed25519,
            Point::P256(_) => Algorithm::P256,
            Point::P384(_) => Algorithm::P384,
        }
    }

    /// The key as a `SubjectPublicKeyInfo`.
    pub fn spki(&self) -> &[u8] {
        &self.spki
    }

    /// The key in PEM form.
    pub fn to_pem(&self) -> String {
        pem::encode_string("PUBLIC KEY", pem::LineEnding::LF, &self.spki).unwrap_or_default()
    }

    /// The key's one name.
    pub fn id(&self) -> KeyId {
        KeyId(Sha256::digest(self.to_pem()).into())
    }

    /// Whether this key made the signature, in the one form and with the one hash that belong to it.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.point {
            Point::Ed25519(key) => ed25519::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_strict(message, &signature).is_ok()),
            Point::P256(key) => p256::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|signature| key.verify(message, &signature).is_ok()),
            Point::P384(key) => p384::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|signature| key.verify(message, &signature).is_ok()),
        }
    }
}

impl PublicKey {
    /// Whether this key made the signature with ECDSA and a hash of its own choice, as authorities
    /// do whose keys the trust root names.
    pub(super) fn has_signed_with(&self, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
        let digest = hash.of(message);
        match &self.point {
            Point::Ed25519(_) => false,
            Point::P256(key) => p256::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|signature| key.verify_prehash(&digest, &signature).is_ok()),
            Point::P384(key) => p384::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|signature| key.verify_prehash(&digest, &signature).is_ok()),
        }
    }
}

/// Refuses points of small order and second spellings of a point.
fn ed25519_point(bytes: &[u8]) -> Result<ed25519::VerifyingKey, KeyError> {
    let bytes: &[u8; 32] = bytes
        .try_into()
        .map_err(|_| KeyError::Der("an ed25519 key has 32 bytes".into()))?;
    let key = ed25519::VerifyingKey::from_bytes(bytes)
        .map_err(|_| KeyError::Der("it is not a point of the curve".into()))?;
    if key.is_weak() {
        return Err(KeyError::Weak);
    }
    if key.to_edwards().compress().as_bytes() != bytes {
        return Err(KeyError::NotCanonical);
    }
    Ok(key)
}
