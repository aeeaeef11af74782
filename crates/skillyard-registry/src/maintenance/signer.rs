//! Whose key the log of a registry is signed with, as far as anybody was ever told.

use skillyard_trust::signature::SigningKey;

use super::MaintenanceError;
use crate::error::RegistryError;
use crate::registry::Registry;
use crate::store::{checkpoints, upstream};

/// Whose key signs the log of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogSigner {
    /// Nobody's yet: any key will do.
    Nobody,
    /// The one with this public key, in PEM form: clients refuse any other.
    Key(String),
    /// That of the registry behind a mirror.
    Upstream,
}

impl LogSigner {
    /// Whether a key is another one than this registry signs with.
    pub fn is_other_than(&self, key: &SigningKey) -> bool {
        match self {
            Self::Nobody | Self::Upstream => false,
            Self::Key(known) => key.public().map_or(true, |key| key.to_pem() != *known),
        }
    }
}

/// Whose key signed the log last.
pub async fn log_signer(registry: &Registry) -> Result<LogSigner, MaintenanceError> {
    if upstream::find(&registry.database).await?.is_some() {
        return Ok(LogSigner::Upstream);
    }
    let last = checkpoints::last(&registry.database).await?;
    Ok(last.map_or(LogSigner::Nobody, |signed| LogSigner::Key(signed.key)))
}

/// Forgets all that other keys signed, so that this one goes on; says how much that was.
pub async fn replace_signer(
    registry: &Registry,
    key: &SigningKey,
) -> Result<u64, MaintenanceError> {
    let key = key.public().map_err(RegistryError::internal)?;
    Ok(checkpoints::forget_others(&registry.database, &key.to_pem()).await?)
}
