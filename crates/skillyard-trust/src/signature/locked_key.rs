//! Private keys under a passphrase: PKCS#8 with scrypt and AES-256, as other tools read it.
//!
//! The cost of a guess is that of `N = 2^14, r = 8, p = 5`: 16 MiB and a fifth of a second,
//! within what OpenSSL reads without options. What a file asks for is limited before it is done, so
//! that a file from elsewhere cannot take all memory.

use pkcs8::pkcs5::pbes2::{Kdf, Parameters};
use pkcs8::pkcs5::{EncryptionScheme, scrypt};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, SecretDocument};
use x509_cert::der::pem::{self, LineEnding};
use zeroize::Zeroizing;

use super::key::KeyError;
use super::signing_key::SigningKey;

/// The first line of a key under a passphrase.
const LABEL: &str = "ENCRYPTED PRIVATE KEY";
/// What a guess costs: the logarithm of the memory, the size of a block, the rounds.
const COST: (u8, u32, u32) = (14, 8, 5);
/// Most that a file may ask for.
const MAX_MEMORY: u64 = 1 << 28;
const MAX_ROUNDS: u64 = 64;
const MAX_ITERATIONS: u32 = 10_000_000;
/// Most bytes of a passphrase.
const LONGEST: usize = 1024;

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
        if passphrase.is_empty() || passphrase.len() > LONGEST {
            return Err(KeyError::PassphraseLength);
        }
        let plain = self.to_pkcs8()?;
        let lock = || -> Result<SecretDocument, pkcs8::Error> {
            let (memory, block, rounds) = COST;
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
            .and_then(|document| Ok(document.to_pem(LABEL, LineEnding::LF)?))
            .map_err(|error| KeyError::Private(error.to_string()))
    }

    /// Reads a private key that is under a passphrase.
    pub fn from_locked_pem(text: &str, passphrase: &str) -> Result<Self, KeyError> {
        let broken = |error: String| KeyError::Private(error);
        let (label, der) =
            pem::decode_vec(text.trim().as_bytes()).map_err(|error| broken(error.to_string()))?;
        if label != LABEL {
            return Err(broken(format!(
                "it is a {}, and one under a passphrase is expected",
                label.to_lowercase()
            )));
        }
        let locked = EncryptedPrivateKeyInfoRef::try_from(der.as_slice())
            .map_err(|error| broken(error.to_string()))?;
        check_cost(&locked.encryption_algorithm)?;
        // Whether it is the passphrase or a byte of the file cannot be told.
        let plain = locked
            .decrypt(passphrase)
            .map_err(|_| KeyError::Passphrase)?;
        Self::from_pkcs8(plain.as_bytes()).map_err(|_| KeyError::Passphrase)
    }
}

/// Refuses a file that asks for more than a machine has to give.
fn check_cost(scheme: &EncryptionScheme) -> Result<(), KeyError> {
    let EncryptionScheme::Pbes2(parameters) = scheme else {
        return Err(KeyError::Private("its encryption is too old".into()));
    };
    let is_within = match &parameters.kdf {
        Kdf::Scrypt(scrypt) => {
            let block = u64::from(scrypt.block_size);
            let memory = scrypt.cost_parameter.checked_mul(block * 128);
            memory.is_some_and(|memory| memory <= MAX_MEMORY)
                && u64::from(scrypt.parallelization) <= MAX_ROUNDS
        }
        Kdf::Pbkdf2(pbkdf2) => pbkdf2.iteration_count <= MAX_ITERATIONS,
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
mod tests {
    use super::super::key::Algorithm;
    use super::super::signing_key::tests::key;
    use super::*;

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
