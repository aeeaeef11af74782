//! Removes archives that no version uses.

use std::collections::HashSet;

use jiff::Timestamp;
use skillyard_format::Digest;

use super::MaintenanceError;
use crate::blobs::Blob;
use crate::database::DatabaseError;
use crate::registry::Registry;
use crate::store::versions;

/// What is done where most archives would go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caution {
    /// Nothing: the archives may be another registry's.
    Refuse,
    /// They are removed.
    Override,
}

/// Removes archives that no version has and that were stored before `time`; says how many.
///
/// A publish that was broken off leaves one archive behind, so most of a store is in use. Where
/// more would go than is, the database is probably not the one that the store belongs to.
pub async fn collect(
    registry: &Registry,
    time: Timestamp,
    caution: Caution,
) -> Result<usize, MaintenanceError> {
    let used: HashSet<Digest> = versions::used(&registry.database).await?;
    let stored = registry.blobs.list().await?;
    let is_unused = |blob: &&Blob| !used.contains(&blob.digest) && blob.stored <= time;
    let unused: Vec<&Blob> = stored.iter().filter(is_unused).collect();
    let in_use = stored.iter().filter(|blob| used.contains(&blob.digest));
    if unused.len() > in_use.count() && caution == Caution::Refuse {
        return Err(MaintenanceError::MostUnused {
            unused: unused.len(),
            stored: stored.len(),
        });
    }
    let mut removed = 0;
    for blob in unused {
        // Nothing is published during a change, so an archive that is unused now stays unused.
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
