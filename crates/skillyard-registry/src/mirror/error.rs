//! Why something was not taken in from another registry.

use skillyard_trust::transparency::CheckpointError;

use crate::blobs::BlobError;
use crate::database::DatabaseError;
use crate::error::RegistryError;
use crate::package::Refusal;

/// Why something was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// The registry here has skills of its own.
    #[error("the registry here is not an empty one or a mirror of {0}")]
    NotAMirror(String),
    /// The registry here is a mirror of another one.
    #[error("the registry here is a mirror of {here}, and not of {wanted}")]
    OtherMirror {
        /// What it is a mirror of.
        here: String,
        /// What it was to be a mirror of.
        wanted: String,
    },
    /// The signature on the log.
    #[error("the log of the registry cannot be believed: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The log does not begin with what was taken in before, or is not what was signed.
    #[error("the log of the registry cannot be believed: {0}")]
    Log(String),
    /// Two runs at once.
    #[error("another run took something in meanwhile")]
    Overtaken,
    /// The archive is not the one of the log.
    #[error("`{name}@{version}`: {problem}")]
    Entry {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// What is wrong.
        problem: String,
    },
    /// The archive cannot be read.
    #[error("`{name}@{version}` cannot be taken in: {problem}")]
    Unreadable {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// Why.
        problem: Box<Refusal>,
    },
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The archives.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// Something else.
    #[error(transparent)]
    Registry(Box<RegistryError>),
}

impl From<RegistryError> for MirrorError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(Box::new(error))
    }
}

impl From<sqlx::Error> for MirrorError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}
