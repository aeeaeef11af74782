//! The key that a registry signs its log with.

mod copied;

use std::path::{Path, PathBuf};

use skillyard_registry::Database;
use skillyard_registry::maintenance::LogSigner;
use skillyard_trust::signature::{Algorithm, SigningKey};
use zeroize::Zeroizing;

pub(super) use copied::{Copying, restore, to_copy};

use super::Storage;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;
use crate::error::signing::SigningError;
use crate::files::private::{lock, read_text, write_private};

/// The name of its file.
const FILE: &str = "log.pem";
/// What is locked while it is made.
const LOCK: &str = "log.lock";

/// The key that somebody named for a registry, or the one that belongs to it. It is nothing to print.
pub(super) struct NamedLogKey {
    path: PathBuf,
    key: Option<SigningKey>,
}

impl NamedLogKey {
    /// Looks for it, before anything of a registry is made; what was named has to be there.
    pub(super) fn find(
        context: &Context,
        file: Option<&Path>,
        storage: &Storage,
    ) -> Result<Self, CommandError> {
        let path = match file {
            Some(file) => context.environment.current_dir.join(file),
            None => own_file(context, storage),
        };
        let is_there = file.is_some() || path.exists();
        let key = is_there.then(|| read(&path)).transpose()?;
        let key = key.map(|(key, _)| key);
        Ok(Self { path, key })
    }

    /// The key for a registry whose log has this signer, made where nobody has signed yet: clients
    /// refuse a log that another key goes on with, and the registry is not sound any more. A mirror
    /// needs none.
    pub(super) fn fitting(
        self,
        context: &Context,
        signer: &LogSigner,
    ) -> Result<Option<SigningKey>, CommandError> {
        match (self.key, signer) {
            (key, LogSigner::Upstream) => Ok(key),
            (Some(key), signer) if !signer.is_other_than(&key) => Ok(Some(key)),
            (Some(_), _) => Err(RegistryFailure::OtherLogKey(self.path).into()),
            (None, LogSigner::Key(_)) => Err(RegistryFailure::NoLogKey(self.path).into()),
            (None, LogSigner::Nobody) => make(context).map(Some),
        }
    }

    /// The key for a registry whose own is lost, made where none is there.
    pub(super) fn or_made(self, context: &Context) -> Result<SigningKey, CommandError> {
        self.key.map_or_else(|| make(context), Ok)
    }
}

/// Where the key of a registry lies: beside its database, as in a copy, or with what else this
/// machine's registries have.
fn own_file(context: &Context, storage: &Storage) -> PathBuf {
    let database = storage.database.as_deref().and_then(Database::file_of);
    let database = database.map(|file| context.environment.current_dir.join(file));
    let beside = database.map(|file| file.with_file_name(FILE));
    let beside = beside.filter(|file| file.exists());
    beside.unwrap_or_else(|| super::folder(context).join(FILE))
}

/// Makes this machine's key, unless another process was quicker: what one signs, the other would
/// have to sign with another key.
fn make(context: &Context) -> Result<SigningKey, CommandError> {
    let folder = super::home(context)?;
    let path = folder.join(FILE);
    let _alone = lock(&folder.join(LOCK))?;
    if path.exists() {
        return read(&path).map(|(key, _)| key);
    }
    let key = SigningKey::generate(Algorithm::Ed25519, getrandom::fill);
    let key = key.map_err(RegistryFailure::from)?;
    let text = key.to_pem().map_err(|source| SigningError::Key {
        path: path.clone(),
        source,
    })?;
    write_private(&path, text.as_bytes())?;
    Ok(key)
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
