//! Message authentication codes for the grants of a session.
//!
//! Other users may be able to write to the database of sessions. A grant is valid only if it carries
//! an HMAC with the key in the user's own folder. `trust revoke` deletes the key, which ends all
//! grants.

use std::fs;
use std::io;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use skillyard_format::package::Digest;

use crate::believed;
use crate::config::private_file::{lock, write_private};
use crate::environment::Environment;
use crate::error::CommandError;

/// Bytes of a key, which is stored in hexadecimal.
const KEY_BYTES: usize = 32;

/// The key that authenticates grants.
pub(crate) struct SealKey(String);

impl SealKey {
    /// The key of this user; `None` if nothing was granted since the last `trust revoke`.
    pub(crate) fn read(environment: &Environment) -> Result<Option<Self>, CommandError> {
        let text = believed::text(&environment.grants_key_file())?;
        let is_key = text.len() == KEY_BYTES * 2;
        Ok(is_key.then_some(Self(text)))
    }

    /// The key of this user, created if there is none.
    pub(crate) fn make(environment: &Environment) -> Result<Self, CommandError> {
        let file = environment.grants_key_file();
        let _lock = lock(&file.with_extension("lock"))?;
        if let Some(key) = Self::read(environment)? {
            return Ok(key);
        }
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|source| CommandError::Write {
            path: file.clone(),
            source: io::Error::other(source),
        })?;
        let key = Digest::of(&bytes).to_hex();
        write_private(&file, key.as_bytes())?;
        Ok(Self(key))
    }

    /// Deletes the key; returns whether there was one.
    pub(crate) fn forget(environment: &Environment) -> Result<bool, CommandError> {
        let path = environment.grants_key_file();
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(CommandError::Write { path, source }),
        }
    }

    /// The HMAC-SHA-256 of a text, in hexadecimal.
    pub(crate) fn seal(&self, text: &str) -> String {
        hex::encode(self.mac(text).finalize().into_bytes())
    }

    /// Whether `seal` is the one of this text; takes the same time wherever they differ.
    pub(crate) fn verifies(&self, text: &str, seal: &str) -> bool {
        hex::decode(seal).is_ok_and(|seal| self.mac(text).verify_slice(&seal).is_ok())
    }

    fn mac(&self, text: &str) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes());
        mac.expect("HMAC takes keys of any length")
            .chain_update(text.as_bytes())
    }
}
