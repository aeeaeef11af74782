//! Removing what nobody uses.

use std::collections::HashSet;

use jiff::Timestamp;
use skillyard_format::Digest;

use super::MaintenanceError;
use crate::database::DatabaseError;
use crate::registry::Registry;
use crate::store::versions;

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
