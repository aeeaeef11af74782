//! The key that a registry signs its log with.

use std::path::Path;

use skillyard_registry::maintenance::LogSigner;
use skillyard_trust::signature::{Algorithm, SigningKey};
use zeroize::Zeroizing;

use super::Place;
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
    Ok(read(&path)?.0)
}

/// What becomes of the key in a copy. It is nothing to print.
#[derive(PartialEq, Eq)]
pub(super) enum Copying {
    /// It goes with it, as this text.
    Along(Zeroizing<String>),
    /// It was not wanted.
    LeftOut,
    /// The copy needs none: nothing was signed yet, or another registry signs.
    Unneeded,
    /// It is not on this machine, as far as anybody said.
    NotHere,
}

impl Copying {
    /// The word for programs.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Along(_) => "copied",
            Self::LeftOut => "left-out",
            Self::Unneeded => "unneeded",
            Self::NotHere => "not-here",
        }
    }

    /// Puts the key beside a copy: without it clients would refuse what is restored.
    pub(super) fn put(&self, folder: &Path) -> Result<(), CommandError> {
        match self {
            Self::Along(text) => write_private(&folder.join(FILE), text.as_bytes()),
            _ => Ok(()),
        }
    }
}

/// The key for a copy of a registry whose log has this signer: the one in a file, or this
/// machine's own where that is the one.
pub(super) fn to_copy(
    context: &Context,
    file: Option<&Path>,
    signer: &LogSigner,
    place: Place,
) -> Result<Copying, CommandError> {
    if *signer == LogSigner::Upstream {
        return Ok(Copying::Unneeded);
    }
    let path = match file {
        Some(file) => context.environment.current_dir.join(file),
        None => super::home(context)?.join(FILE),
    };
    if file.is_none() && !path.exists() {
        return Ok(match signer {
            LogSigner::Key(_) => Copying::NotHere,
            _ => Copying::Unneeded,
        });
    }
    let (key, text) = read(&path)?;
    match signer {
        LogSigner::Nobody if file.is_none() && place == Place::Named => Ok(Copying::Unneeded),
        signer if !signer.is_other_than(&key) => Ok(Copying::Along(text)),
        _ if file.is_some() => Err(RegistryFailure::OtherLogKey(path).into()),
        _ => Ok(Copying::NotHere),
    }
}

/// Refuses a key with which the log of a registry was not signed.
pub(super) fn fits(
    key: &SigningKey,
    signer: &LogSigner,
    file: Option<&Path>,
) -> Result<(), RegistryFailure> {
    if signer.is_other_than(key) {
        let path = file.unwrap_or(Path::new(FILE)).to_owned();
        return Err(RegistryFailure::OtherLogKey(path));
    }
    Ok(())
}

fn read(path: &Path) -> Result<(SigningKey, Zeroizing<String>), CommandError> {
    // A file that is not there would be read as one without a word in it.
    std::fs::metadata(path).map_err(|source| CommandError::Read {
        path: path.to_owned(),
        source,
    })?;
    let text = Zeroizing::new(read_text(path)?);
    let key = SigningKey::from_pem(&text);
    let key = key.map_err(|source| SigningError::Key {
        path: path.to_owned(),
        source,
    })?;
    Ok((key, text))
}

/// What became of the key of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyOutcome {
    /// It is the registry's key now.
    Restored,
    /// The registry has this key already.
    Same,
    /// The registry has another key, which stays.
    Other,
    /// The copy has one that did not sign its log.
    Wrong,
    /// The copy has none.
    None,
    /// It needs none.
    Unneeded,
}

impl KeyOutcome {
    /// The word for programs.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Same => "same",
            Self::Other => "other",
            Self::Wrong => "wrong",
            Self::None => "none",
            Self::Unneeded => "unneeded",
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
            Self::Wrong => {
                "the key in the copy did not sign its log and was left there: name the right one with `--log-key`"
            }
            Self::None => "the copy has no key of the log: name it with `--log-key`",
            Self::Unneeded => "it needs no key of its own",
        }
    }
}

/// Takes the key of a copy whose log has this signer, unless there is one already.
pub(super) fn restore(
    context: &Context,
    folder: &Path,
    signer: &LogSigner,
) -> Result<KeyOutcome, CommandError> {
    if *signer == LogSigner::Upstream {
        return Ok(KeyOutcome::Unneeded);
    }
    let (own, copy) = (super::home(context)?.join(FILE), folder.join(FILE));
    let is_right = |key: &SigningKey| !signer.is_other_than(key);
    let own_key = own.exists().then(|| read(&own)).transpose()?;
    if let (LogSigner::Key(_), Some((key, _))) = (signer, &own_key)
        && is_right(key)
    {
        return Ok(KeyOutcome::Same);
    }
    if !copy.exists() {
        return Ok(match signer {
            LogSigner::Key(_) => KeyOutcome::None,
            _ => KeyOutcome::Unneeded,
        });
    }
    let (key, text) = read(&copy)?;
    Ok(match own_key {
        _ if !is_right(&key) => KeyOutcome::Wrong,
        Some((_, own)) if own == text => KeyOutcome::Same,
        Some(_) => KeyOutcome::Other,
        None => {
            write_private(&own, text.as_bytes())?;
            KeyOutcome::Restored
        }
    })
}
