//! The key that a registry signs its log with.

use std::path::Path;

use skillyard_trust::signature::{Algorithm, SigningKey};

use crate::config::private_file::{read_text, write_private};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;
use crate::error::signing::SigningError;

/// The key in a file, or the registry's own, which is made when it is first needed.
pub(super) fn load(context: &Context, file: Option<&Path>) -> Result<SigningKey, CommandError> {
    let path = match file {
        Some(file) => context.environment.current_dir.join(file),
        None => super::home(context)?.join("log.pem"),
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
