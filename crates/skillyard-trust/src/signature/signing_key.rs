//! Private keys: made from the caller's randomness, kept in memory that is wiped, never printed.

use std::fmt;

use ed25519_dalek as ed25519;
use p256::ecdsa::signature::Signer as _;
use pkcs8::pkcs5::pbes2::{Kdf, Parameters};
use pkcs8::pkcs5::{EncryptionScheme, scrypt};
use pkcs8::{
    DecodePrivateKey, EncodePrivateKey, EncodePublicKey, EncryptedPrivateKeyInfoRef,
    PrivateKeyInfoRef, SecretDocument,
};
use x509_cert::der::pem::{self, LineEnding};
use zeroize::Zeroizing;

use crate::signature::key::{Algorithm, KeyError, PublicKey};

/// A key that can sign.
pub struct SigningKey(PrivateKey);

enum PrivateKey {
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
    /// that are not a key.
    pub fn generate<E>(
        algorithm: Algorithm,
        mut fill: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut bytes = Zeroizing::new([0; 48]);
        loop {
            fill(bytes.as_mut())?;
            let made = match algorithm {
                Algorithm::Ed25519 => bytes.first_chunk().map(|seed| {
                    PrivateKey::Ed25519(Box::new(ed25519::SigningKey::from_bytes(seed)))
                }),
                Algorithm::P256 => p256::ecdsa::SigningKey::from_slice(&bytes[..32])
                    .ok()
                    .map(|key| PrivateKey::P256(Box::new(key))),
                Algorithm::P384 => p384::ecdsa::SigningKey::from_slice(bytes.as_ref())
                    .ok()
                    .map(|key| PrivateKey::P384(Box::new(key))),
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
            .map(|key| PrivateKey::Ed25519(Box::new(key)))
            .or_else(|_| {
                p256::ecdsa::SigningKey::from_pkcs8_der(der)
                    .map(|key| PrivateKey::P256(Box::new(key)))
            })
            .or_else(|_| {
                p384::ecdsa::SigningKey::from_pkcs8_der(der)
                    .map(|key| PrivateKey::P384(Box::new(key)))
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
            PrivateKey::Ed25519(key) => key.to_pkcs8_der(),
            PrivateKey::P256(key) => key.to_pkcs8_der(),
            PrivateKey::P384(key) => key.to_pkcs8_der(),
        };
        document.map_err(|error| KeyError::Private(error.to_string()))
    }

    /// The public half.
    pub fn public(&self) -> Result<PublicKey, KeyError> {
        let document = match &self.0 {
            PrivateKey::Ed25519(key) => key.verifying_key().to_public_key_der(),
            PrivateKey::P256(key) => key.verifying_key().to_public_key_der(),
            PrivateKey::P384(key) => key.verifying_key().to_public_key_der(),
        };
        let document = document.map_err(|error| KeyError::Der(error.to_string()))?;
        PublicKey::from_spki(document.as_bytes())
    }

    /// Signs; the same message always gets the same signature.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        match &self.0 {
            PrivateKey::Ed25519(key) => key.sign(message).to_vec(),
            PrivateKey::P256(key) => {
                let signature: p256::ecdsa::DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            }
            PrivateKey::P384(key) => {
                let signature: p384::ecdsa::DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            }
        }
    }
}

/// The first line of a key under a passphrase.
const PEM_LABEL: &str = "ENCRYPTED PRIVATE KEY";
/// What a guess costs: the logarithm of the memory, the size of a block, the rounds.
const SCRYPT_COST: (u8, u32, u32) = (14, 8, 5);
/// Most that a file may ask for.
const MAX_SCRYPT_MEMORY: u64 = 1 << 28;
const MAX_SCRYPT_ROUNDS: u64 = 64;
const MAX_PBKDF2_ITERATIONS: u32 = 10_000_000;
/// Most bytes of a passphrase.
const MAX_KEY_BYTES: usize = 1024;

/// Random bytes that no two files share.
#[derive(Debug, Clone, Copy)]
pub struct Salt(pub [u8; 32]);

/// Whether a private key in PEM form is under a passphrase.
pub fn is_locked(pem: &str) -> bool {
    pem.lines()
        .any(|line| line.trim() == "-----BEGIN ENCRYPTED PRIVATE KEY-----")
}

impl SigningKey {
    /// The key in PKCS#8 PEM form under a passphrase.
    pub fn to_locked_pem(
        &self,
        passphrase: &str,
        salt: &Salt,
    ) -> Result<Zeroizing<String>, KeyError> {
        if passphrase.is_empty() || passphrase.len() > MAX_KEY_BYTES {
            return Err(KeyError::PassphraseLength);
        }
        let plain = self.to_pkcs8()?;
        let lock = || -> Result<SecretDocument, pkcs8::Error> {
            let (memory, block, rounds) = SCRYPT_COST;
            let cost = scrypt::Params::new(memory, block, rounds)
                .map_err(|_| pkcs8::pkcs5::Error::EncryptFailed)?;
            let (first, second) = salt.0.split_at(16);
            let vector = second
                .try_into()
                .map_err(|_| pkcs8::pkcs5::Error::EncryptFailed)?;
            let parameters = Parameters::generate_scrypt_aes256cbc(cost, first, vector)?;
            PrivateKeyInfoRef::try_from(plain.as_bytes())?
                .encrypt_with_params(parameters, passphrase)
        };
        lock()
            .and_then(|document| Ok(document.to_pem(PEM_LABEL, LineEnding::LF)?))
            .map_err(|error| KeyError::Private(error.to_string()))
    }

    /// Reads a private key that is under a passphrase.
    pub fn from_locked_pem(text: &str, passphrase: &str) -> Result<Self, KeyError> {
        let broken = |error: String| KeyError::Private(error);
        let (label, der) =
            pem::decode_vec(text.trim().as_bytes()).map_err(|error| broken(error.to_string()))?;
        if label != PEM_LABEL {
            return Err(broken(format!(
                "it is a {}, and one under a passphrase is expected",
                label.to_lowercase()
            )));
        }
        let locked = EncryptedPrivateKeyInfoRef::try_from(der.as_slice())
            .map_err(|error| broken(error.to_string()))?;
        check_cost(&locked.encryption_algorithm)?;
        // A wrong passphrase and a damaged file cannot be distinguished.
        let plain = locked
            .decrypt(passphrase)
            .map_err(|_| KeyError::Passphrase)?;
        Self::from_pkcs8(plain.as_bytes()).map_err(|_| KeyError::Passphrase)
    }
}

/// Rejects a file that would need too much memory or time.
fn check_cost(scheme: &EncryptionScheme) -> Result<(), KeyError> {
    let EncryptionScheme::Pbes2(parameters) = scheme else {
        return Err(KeyError::Private("its encryption is too old".into()));
    };
    let is_within = match &parameters.kdf {
        Kdf::Scrypt(scrypt) => {
            let block = u64::from(scrypt.block_size);
            let memory = scrypt.cost_parameter.checked_mul(block * 128);
            memory.is_some_and(|memory| memory <= MAX_SCRYPT_MEMORY)
                && u64::from(scrypt.parallelization) <= MAX_SCRYPT_ROUNDS
        }
        Kdf::Pbkdf2(pbkdf2) => pbkdf2.iteration_count <= MAX_PBKDF2_ITERATIONS,
        _ => false,
    };
    if is_within {
        Ok(())
    } else {
        Err(KeyError::Private(
            "opening it would take more than it may".into(),
        ))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::signature::key::Algorithm;

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

    const PASSPHRASE: &str = "correct horse battery staple";

    #[test]
    fn a_locked_key_opens_with_its_passphrase_alone() {
        for algorithm in [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384] {
            let key = key(algorithm);
            let pem = key.to_locked_pem(PASSPHRASE, &Salt([3; 32])).unwrap();
            assert!(is_locked(&pem) && !is_locked(&key.to_pem().unwrap()));
            let open = SigningKey::from_locked_pem(&pem, PASSPHRASE).unwrap();
            assert_eq!(open.sign(b"m"), key.sign(b"m"));
            assert!(SigningKey::from_pem(&pem).is_err(), "it is not a plain key");
        }
    }

    #[test]
    fn wrong_passphrases_say_so() {
        let key = key(Algorithm::Ed25519);
        let pem = key.to_locked_pem(PASSPHRASE, &Salt([3; 32])).unwrap();
        for wrong in ["", "correct horse battery", "Correct horse battery staple"] {
            let error = SigningKey::from_locked_pem(&pem, wrong).unwrap_err();
            assert!(matches!(error, KeyError::Passphrase), "{wrong}: {error}");
        }
        let other = key.to_locked_pem(PASSPHRASE, &Salt([4; 32])).unwrap();
        assert_ne!(pem, other, "salt changes every byte that matters");
        assert!(matches!(
            key.to_locked_pem("", &Salt([3; 32])),
            Err(KeyError::PassphraseLength)
        ));
    }

    #[test]
    fn a_file_that_asks_for_too_much_is_refused_before_it_gets_it() {
        let key = key(Algorithm::Ed25519);
        let cost = scrypt::Params::new(22, 8, 1).unwrap();
        let parameters = Parameters::generate_scrypt_aes256cbc(cost, &[1; 16], [2; 16]).unwrap();
        let scheme = EncryptionScheme::from(parameters);
        let error = check_cost(&scheme).unwrap_err().to_string();
        assert!(error.contains("more than it may"), "{error}");
        assert!(SigningKey::from_locked_pem(&key.to_pem().unwrap(), "x").is_err());
    }
}
