//! What whoever runs a registry does now and then: look it through, tidy up, copy it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use skillyard_format::Digest;

use crate::blobs::{BlobError, Blobs};
use crate::database::{CopyOutcome, DatabaseError};
use crate::registry::Registry;
use crate::store::versions;

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
    /// A database with a tool of its own.
    #[error("this database is copied with a tool of its own")]
    OtherTool,
}

/// What looking through all archives found.
#[derive(Debug, Default)]
pub struct Verified {
    /// Versions whose archives are as they were published.
    pub sound: usize,
    /// Versions whose archives are not, and why.
    pub damaged: Vec<(String, String, Damage)>,
}

/// What is wrong with an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It is not there.
    Missing,
    /// It has another digest.
    Changed,
}

impl Damage {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
        }
    }
}

/// Reads every archive and compares it with the digest it was published under.
pub async fn verify(registry: &Registry) -> Result<Verified, MaintenanceError> {
    let mut verified = Verified::default();
    for (skill, version, digest) in versions::digests(&registry.database).await? {
        let damage = match registry.blobs.read(digest).await {
            Ok(bytes) if Digest::of(&bytes) == digest => None,
            Ok(_) => Some(Damage::Changed),
            Err(BlobError::Missing(_)) => Some(Damage::Missing),
            Err(error) => return Err(error.into()),
        };
        match damage {
            None => verified.sound += 1,
            Some(damage) => verified.damaged.push((skill, version, damage)),
        }
    }
    Ok(verified)
}

/// Removes archives that no version has and that were stored before `time`; says how many.
pub async fn collect(registry: &Registry, time: Timestamp) -> Result<usize, MaintenanceError> {
    let used = versions::digests(&registry.database).await?;
    let used: HashSet<Digest> = used.into_iter().map(|(_, _, digest)| digest).collect();
    let mut removed = 0;
    for blob in registry.blobs.list().await? {
        if used.contains(&blob.digest) || blob.stored > time {
            continue;
        }
        // Within a change nobody publishes: what nobody uses now, nobody is about to use.
        let (mut change, _) = registry.database.change().await?;
        let is_used = versions::uses(&mut change, blob.digest).await;
        if !is_used.map_err(DatabaseError::from)? {
            registry.blobs.remove(blob.digest).await?;
            removed += 1;
        }
        change.rollback().await.map_err(DatabaseError::from)?;
    }
    let pieces = registry.blobs.remove_pieces(time);
    let pieces = pieces.map_err(|source| MaintenanceError::Disk {
        path: "blobs".into(),
        source,
    })?;
    Ok(removed + pieces)
}

/// Copies everything into a new folder, which can be served as it is; says how many archives.
///
/// The database first: an archive is never older than the version that has it.
pub async fn back_up(registry: &Registry, folder: &Path) -> Result<usize, MaintenanceError> {
    let failed = |source| MaintenanceError::Disk {
        path: folder.to_owned(),
        source,
    };
    std::fs::create_dir(folder).map_err(failed)?;
    let file = folder.join("registry.db");
    let outcome = registry.database.copy_to(&file.to_string_lossy()).await?;
    if outcome == CopyOutcome::OtherTool {
        std::fs::remove_dir(folder).map_err(failed)?;
        return Err(MaintenanceError::OtherTool);
    }
    let copies = Blobs::in_folder(&folder.join("blobs"))?;
    let digests = versions::digests(&registry.database).await?;
    let digests: HashSet<Digest> = digests.into_iter().map(|(_, _, digest)| digest).collect();
    for digest in &digests {
        copies
            .put(*digest, registry.blobs.read(*digest).await?)
            .await?;
    }
    Ok(digests.len())
}
