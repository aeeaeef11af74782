//! What whoever runs a registry does now and then: look it through, tidy up, copy it, hand it out.

mod backup;
mod collect;
mod copy;
mod export;
mod signer;
mod verify;

use std::io;
use std::path::PathBuf;

use crate::blobs::BlobError;
use crate::database::DatabaseError;
use crate::error::RegistryError;

pub use backup::{Restored, SoundCopy, back_up};
pub use collect::{Caution, collect};
pub use export::{Exported, export_static};
pub use signer::{LogSigner, log_signer, replace_signer};
pub use verify::{Damage, Verified, verify};

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The archives.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The disk.
    #[error("cannot write to `{}`", path.display())]
    Disk {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is something where a copy is to be made.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// There is no copy where one is to be read.
    #[error("`{}` is no copy of a registry: it has no `registry.db`", .0.display())]
    NoCopy(PathBuf),
    /// There is something where something is to be put.
    #[error("the registry to restore into is not empty")]
    NotEmpty,
    /// Most archives are of no version, as in a store of another registry.
    #[error(
        "{unused} of the {stored} archives belong to no version in this database, so they may be another registry's; nothing was removed"
    )]
    MostUnused {
        /// How many would go.
        unused: usize,
        /// How many there are.
        stored: usize,
    },
    /// What is to be restored is damaged.
    #[error("the copy is damaged, and nothing was restored: {}", .0.join("; "))]
    Damaged(Vec<String>),
    /// Something else.
    #[error(transparent)]
    Registry(Box<RegistryError>),
}

impl From<RegistryError> for MaintenanceError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(Box::new(error))
    }
}

impl From<sqlx::Error> for MaintenanceError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}
