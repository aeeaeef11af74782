//! The key that a registry signs its log with.

use std::path::Path;

use skillyard_trust::signature::{Algorithm, SigningKey};

use crate::config::private_file::{read_text, write_private};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;
use crate::error::signing::SigningError;

/// The name of its file.
const FILE: &str = "log.pem";

/// The key in a file, or the registry's own, which is made when it is first needed.
pub(super) fn load(context: &Context, file: Option<&Path>) -> Result<SigningKey, CommandError> {
    let path = match file {
        Some(file) => context.environment.current_dir.join(file),
        None => super::home(context)?.join(FILE),
    };
    if file.is_none() && !path.exists() {
        let key = SigningKey::generate(Algorithm::Ed25519, getrandom::fill);
        let key = key.map_err(RegistryFailure::from)?;
        let text = key.to_pem().map_err(|source| SigningError::Key {
            path: path.clone(),
            source,
        })?;
        write_private(&path, text.as_bytes())?;
        return Ok(key);
    }
    let key = SigningKey::from_pem(&read_text(&path)?);
    Ok(key.map_err(|source| SigningError::Key { path, source })?)
}

/// Puts the registry's key beside a copy: without it clients would refuse what is restored.
pub(super) fn copy(context: &Context, folder: &Path) -> Result<(), CommandError> {
    let own = super::home(context)?.join(FILE);
    if own.exists() {
        write_private(&folder.join(FILE), read_text(&own)?.as_bytes())?;
    }
    Ok(())
}

/// What became of the key of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restored {
    /// It is the registry's key now.
    Restored,
    /// The registry has this key already.
    Same,
    /// The registry has another key, which stays.
    Other,
    /// The copy has none.
    None,
}

impl Restored {
    /// The word for programs.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Same => "same",
            Self::Other => "other",
            Self::None => "none",
        }
    }

    /// The words for people.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Restored => "the key of its log, too",
            Self::Same => "the key of its log was here already",
            Self::Other => {
                "another key is here, so clients will refuse the log: name the right one with `--log-key`"
            }
            Self::None => "the copy has no key of the log: name it with `--log-key`",
        }
    }
}

/// Takes the key of a copy, unless there is one already.
pub(super) fn restore(context: &Context, folder: &Path) -> Result<Restored, CommandError> {
    let (own, copy) = (super::home(context)?.join(FILE), folder.join(FILE));
    if !copy.exists() {
        return Ok(Restored::None);
    }
    let text = read_text(&copy)?;
    if own.exists() {
        return Ok(if read_text(&own)? == text {
            Restored::Same
        } else {
            Restored::Other
        });
    }
    write_private(&own, text.as_bytes())?;
    Ok(Restored::Restored)
}
