//! What was allowed for a session, sealed.
//!
//! Sessions may lie in a database that others read and write. Somebody's yes counts where it was
//! given: the key of the seals stays in the user's own folder. Without the key, as after `trust
//! revoke`, nothing that was sealed counts any more.

use std::fs;
use std::io;

use skillyard_format::package::Digest;

use crate::believed;
use crate::config::private_file::{lock, write_private};
use crate::environment::Environment;
use crate::error::CommandError;

/// The bytes of a key; they are kept as twice as many digits.
const LENGTH: usize = 32;

/// Makes seals.
pub(crate) struct SealKey(String);

impl SealKey {
    /// The key of this user, if they allowed something since they last took something back.
    pub(crate) fn read(environment: &Environment) -> Result<Option<Self>, CommandError> {
        let text = believed::text(&environment.grants_key_file())?;
        let is_key = text.len() == LENGTH * 2;
        Ok(is_key.then_some(Self(text)))
    }

    /// The same; without one it is made.
    pub(crate) fn make(environment: &Environment) -> Result<Self, CommandError> {
        let file = environment.grants_key_file();
        let _lock = lock(&file.with_extension("lock"))?;
        if let Some(key) = Self::read(environment)? {
            return Ok(key);
        }
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(|source| CommandError::Write {
            path: file.clone(),
            source: io::Error::other(source),
        })?;
        // A digest has the digits of as many bytes, and tells nothing of what it is of.
        let key = Digest::of(&bytes).to_hex();
        write_private(&file, key.as_bytes())?;
        Ok(Self(key))
    }

    /// Takes the key away; tells whether there was one.
    pub(crate) fn forget(environment: &Environment) -> Result<bool, CommandError> {
        let path = environment.grants_key_file();
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(CommandError::Write { path, source }),
        }
    }

    /// The seal of a text. The key stands around the text and around its digest, so that no longer
    /// text has a seal that follows from it.
    pub(crate) fn seal(&self, text: &str) -> String {
        let inner = Digest::of(format!("{}{text}", self.0).as_bytes()).to_hex();
        Digest::of(format!("{}{inner}", self.0).as_bytes()).to_hex()
    }
}
