//! Private keys: made from the caller's randomness, kept in memory that is wiped, never printed.

use std::fmt;

use ed25519_dalek as ed25519;
use p256::ecdsa::signature::Signer as _;
use pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, SecretDocument};
use x509_cert::der::pem::{self, LineEnding};
use zeroize::Zeroizing;

use super::key::{Algorithm, KeyError, PublicKey};

/// A key that can sign.
pub struct SigningKey(Secret);

enum Secret {
    Ed25519(Box<ed25519::SigningKey>),
    P256(Box<p256::ecdsa::SigningKey>),
    P384(Box<p384::ecdsa::SigningKey>),
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

impl SigningKey {
    /// Makes a key from random bytes, which `fill` writes; it is asked again for the very few
    /// that are no key.
    pub fn generate<E>(
        algorithm: Algorithm,
        mut fill: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut bytes = Zeroizing::new([0; 48]);
        loop {
            fill(bytes.as_mut())?;
            let made = match algorithm {
                Algorithm::Ed25519 => bytes
                    .first_chunk()
                    .map(|seed| Secret::Ed25519(Box::new(ed25519::SigningKey::from_bytes(seed)))),
                Algorithm::P256 => p256::ecdsa::SigningKey::from_slice(&bytes[..32])
                    .ok()
                    .map(|key| Secret::P256(Box::new(key))),
                Algorithm::P384 => p384::ecdsa::SigningKey::from_slice(bytes.as_ref())
                    .ok()
                    .map(|key| Secret::P384(Box::new(key))),
            };
            if let Some(secret) = made {
                return Ok(Self(secret));
            }
        }
    }

    /// Reads a `PRIVATE KEY` (PKCS#8) in PEM form.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let (label, der) = pem::decode_vec(text.trim().as_bytes())
            .map_err(|error| KeyError::Private(error.to_string()))?;
        let der = Zeroizing::new(der);
        if label != "PRIVATE KEY" {
            return Err(KeyError::Private(format!(
                "it is a {}, and an unencrypted PKCS#8 private key is expected",
                label.to_lowercase()
            )));
        }
        Self::from_pkcs8(&der)
    }

    /// Reads a key from the bytes of PKCS#8.
    pub(super) fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        let secret = ed25519::SigningKey::from_pkcs8_der(der)
            .map(|key| Secret::Ed25519(Box::new(key)))
            .or_else(|_| {
                p256::ecdsa::SigningKey::from_pkcs8_der(der).map(|key| Secret::P256(Box::new(key)))
            })
            .or_else(|_| {
                p384::ecdsa::SigningKey::from_pkcs8_der(der).map(|key| Secret::P384(Box::new(key)))
            });
        secret
            .map(Self)
            .map_err(|_| KeyError::Private("ed25519, P-256 and P-384 are used here".into()))
    }

    /// The key in PKCS#8 PEM form, to be written where only its owner can read.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        let document = self.to_pkcs8()?;
        document
            .to_pem("PRIVATE KEY", LineEnding::LF)
            .map_err(|error| KeyError::Private(error.to_string()))
    }

    /// The bytes of PKCS#8, which are wiped.
    pub(super) fn to_pkcs8(&self) -> Result<SecretDocument, KeyError> {
        let document = match &self.0 {
            Secret::Ed25519(key) => key.to_pkcs8_der(),
            Secret::P256(key) => key.to_pkcs8_der(),
            Secret::P384(key) => key.to_pkcs8_der(),
        };
        document.map_err(|error| KeyError::Private(error.to_string()))
    }

    /// The public half.
    pub fn public(&self) -> Result<PublicKey, KeyError> {
        let document = match &self.0 {
            Secret::Ed25519(key) => key.verifying_key().to_public_key_der(),
            Secret::P256(key) => key.verifying_key().to_public_key_der(),
            Secret::P384(key) => key.verifying_key().to_public_key_der(),
        };
        let document = document.map_err(|error| KeyError::Der(error.to_string()))?;
        PublicKey::from_spki(document.as_bytes())
    }

    /// Signs; the same message always gets the same signature.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        match &self.0 {
            Secret::Ed25519(key) => key.sign(message).to_vec(),
            Secret::P256(key) => {
                let signature: p256::ecdsa::DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            }
            Secret::P384(key) => {
                let signature: p384::ecdsa::DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A key that is always the same.
    pub(in super::super) fn key(algorithm: Algorithm) -> SigningKey {
        let fill = |bytes: &mut [u8]| {
            bytes.fill(7);
            Ok::<_, ()>(())
        };
        SigningKey::generate(algorithm, fill).unwrap()
    }

    #[test]
    fn every_kind_of_key_signs_and_reads_back() {
        for algorithm in [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384] {
            let key = key(algorithm);
            let public = PublicKey::from_pem(&key.public().unwrap().to_pem()).unwrap();
            assert_eq!(public.algorithm(), algorithm);
            let again = SigningKey::from_pem(&key.to_pem().unwrap()).unwrap();
            let signature = again.sign(b"message");
            assert!(public.has_signed(b"message", &signature));
            assert!(!public.has_signed(b"massage", &signature));
            assert_eq!(format!("{again:?}"), "SigningKey(…)");
        }
    }

    #[test]
    fn a_key_cannot_pass_for_another_kind() {
        let kinds = [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384];
        for signer in kinds {
            for other in kinds.into_iter().filter(|kind| *kind != signer) {
                let signature = key(signer).sign(b"message");
                assert!(
                    !key(other)
                        .public()
                        .unwrap()
                        .has_signed(b"message", &signature)
                );
            }
        }
    }

    #[test]
    fn a_public_key_is_no_private_key_and_the_other_way_round() {
        let key = key(Algorithm::Ed25519);
        assert!(SigningKey::from_pem(&key.public().unwrap().to_pem()).is_err());
        assert_eq!(
            PublicKey::from_pem(&key.to_pem().unwrap())
                .unwrap_err()
                .to_string(),
            "it is a private key, and a public key is expected"
        );
    }
}
