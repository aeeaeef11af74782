//! The key of a log in a copy of a registry.

use std::path::{Path, PathBuf};

use skillyard_format::Digest;
use skillyard_registry::maintenance::LogSigner;
use skillyard_trust::signature::SigningKey;
use zeroize::Zeroizing;

use super::super::{Storage, home};
use super::{FILE, own_file, read};
use crate::commands::registry::RegistryDataArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;
use crate::files::private::write_private;
use crate::text::sanitize::visible;
use crate::text::shell::shell_path;

/// What becomes of the key in a copy. It is nothing to print.
#[derive(PartialEq, Eq)]
pub(crate) enum Copying {
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
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Along(_) => "copied",
            Self::LeftOut => "left-out",
            Self::Unneeded => "unneeded",
            Self::NotHere => "not-here",
        }
    }

    /// Puts the key beside a copy: without it clients would refuse what is restored.
    pub(crate) fn put(&self, folder: &Path) -> Result<(), CommandError> {
        match self {
            Self::Along(text) => write_private(&folder.join(FILE), text.as_bytes()),
            _ => Ok(()),
        }
    }
}

/// The key for a copy of a registry whose log has this signer: the one in a file, or this
/// machine's own where that is the one.
pub(crate) fn to_copy(
    context: &Context,
    file: Option<&Path>,
    signer: &LogSigner,
    storage: &Storage,
) -> Result<Copying, CommandError> {
    if *signer == LogSigner::Upstream {
        return Ok(Copying::Unneeded);
    }
    let path = match file {
        Some(file) => context.environment.current_dir.join(file),
        None => own_file(context, storage),
    };
    if file.is_none() && !path.exists() {
        return Ok(match signer {
            LogSigner::Key(_) => Copying::NotHere,
            _ => Copying::Unneeded,
        });
    }
    let (key, text) = read(&path)?;
    match signer {
        LogSigner::Nobody if file.is_none() && storage.place() == RegistryDataArgs::Named => {
            Ok(Copying::Unneeded)
        }
        signer if !signer.is_other_than(&key) => Ok(Copying::Along(text)),
        _ if file.is_some() => Err(RegistryFailure::OtherLogKey(path).into()),
        _ => Ok(Copying::NotHere),
    }
}

/// What became of the key of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyOutcome {
    /// It is the registry's key now.
    Restored,
    /// It is the registry's key now, in the place of another one, which is kept in this file.
    Replaced(PathBuf),
    /// The registry has this key already.
    Same,
    /// Another key is where it would be put, and may be of another registry; it stays in this file.
    Other(PathBuf),
    /// The copy has one that did not sign its log.
    Wrong,
    /// The copy has none.
    None,
    /// It needs none.
    Unneeded,
}

impl KeyOutcome {
    /// The word for programs.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Restored | Self::Replaced(_) => "restored",
            Self::Same => "same",
            Self::Other(_) => "other",
            Self::Wrong => "wrong",
            Self::None => "none",
            Self::Unneeded => "unneeded",
        }
    }

    /// Where another key is kept that had to give way.
    pub(crate) fn kept(&self) -> Option<&Path> {
        match self {
            Self::Replaced(kept) => Some(kept),
            _ => None,
        }
    }

    /// The words for people.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Restored => "the key of its log, too".into(),
            Self::Replaced(kept) => {
                let kept = kept.to_string_lossy();
                let kept = visible(&kept);
                format!("the key of its log, too; another one that was here is kept in `{kept}`")
            }
            Self::Same => "the key of its log was here already".into(),
            Self::Other(file) => format!(
                "this machine's key is another one: serve it with `--log-key {}`",
                shell_path(file)
            ),
            Self::Wrong => {
                "the key in the copy did not sign its log and was left there: name the right one with `--log-key`".into()
            }
            Self::None => "the copy has no key of the log: name it with `--log-key`".into(),
            Self::Unneeded => "it needs no key of its own".into(),
        }
    }
}

/// Takes the key of a copy whose log has this signer. Another one that is here has signed nothing of
/// this machine's registry, which was empty; it is kept, because registries elsewhere may have it.
pub(crate) fn restore(
    context: &Context,
    folder: &Path,
    signer: &LogSigner,
    storage: &Storage,
) -> Result<KeyOutcome, CommandError> {
    if *signer == LogSigner::Upstream {
        return Ok(KeyOutcome::Unneeded);
    }
    let (own, copy) = (own_file(context, storage), folder.join(FILE));
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
    if !is_right(&key) {
        return Ok(KeyOutcome::Wrong);
    }
    let outcome = match own_key {
        Some((_, own)) if own == text => return Ok(KeyOutcome::Same),
        Some(_) if storage.place() == RegistryDataArgs::Named => {
            return Ok(KeyOutcome::Other(copy));
        }
        Some((_, other)) => {
            let digest = Digest::of(other.as_bytes()).to_string();
            let short = digest.trim_start_matches("sha256:").get(..8);
            let kept = own.with_file_name(format!("log-{}.pem", short.unwrap_or_default()));
            write_private(&kept, other.as_bytes())?;
            KeyOutcome::Replaced(kept)
        }
        None => KeyOutcome::Restored,
    };
    home(context)?;
    write_private(&own, text.as_bytes())?;
    Ok(outcome)
}
