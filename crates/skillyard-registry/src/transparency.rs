//! The log of all versions, kept in memory and read on from the database.

use skillyard_trust::signature::SigningKey;
use skillyard_trust::transparency::{Checkpoint, MerkleTree, SignedCheckpoint, leaf};
use tokio::sync::{Mutex, MutexGuard};

use crate::database::Database;
use crate::error::RegistryError;
use crate::store::{checkpoints, logged};

/// How many entries are read at once.
const BATCH_SIZE: usize = 10_000;

/// The log.
#[derive(Default)]
pub(crate) struct Log {
    state: Mutex<LogState>,
}

/// What was read so far.
#[derive(Default)]
pub(crate) struct LogState {
    pub(crate) tree: MerkleTree,
    /// The numbers of the changes that published, in the order of the log.
    sequences: Vec<i64>,
    /// The longest that was signed here.
    handed_out: usize,
}

impl LogState {
    /// Where the version stands that a change published.
    pub(crate) fn place(&self, sequence: i64) -> Option<usize> {
        self.sequences.binary_search(&sequence).ok()
    }
}

impl Log {
    /// The log up to the last version.
    pub(crate) async fn read(
        &self,
        database: &Database,
    ) -> Result<MutexGuard<'_, LogState>, RegistryError> {
        let mut state = self.state.lock().await;
        // Numbers are given out and committed in one order, so nothing appears behind this one.
        loop {
            let last = state.sequences.last().copied().unwrap_or_default();
            let rows = logged::after(database, last, BATCH_SIZE).await?;
            let is_all = rows.len() < BATCH_SIZE;
            for row in rows {
                let signer = row.signer.as_deref();
                let leaf = leaf(&row.skill, &row.version, row.digest, signer);
                state.tree.push(leaf);
                state.sequences.push(row.sequence);
            }
            if is_all {
                return Ok(state);
            }
        }
    }

    /// The log as it is now, signed.
    pub(crate) async fn checkpoint(
        &self,
        database: &Database,
        key: &SigningKey,
        time: String,
    ) -> Result<SignedCheckpoint, RegistryError> {
        let mut state = self.read(database).await?;
        let size = state.tree.size();
        let root = state.tree.root(size);
        let root = root.ok_or_else(|| RegistryError::internal("the log has no root"))?;
        let checkpoint = Checkpoint {
            size: size as u64,
            root,
            time,
        };
        let signed = checkpoint.sign(key).map_err(RegistryError::internal)?;
        // The log must begin with every checkpoint that was handed out; `verify` checks it.
        if state.handed_out < size {
            // Another node may have signed since this one was started: clients refuse a second key.
            let last = checkpoints::last(database).await?;
            if last.is_some_and(|last| last.key != signed.key) {
                return Err(RegistryError::internal(
                    "the log of this registry is signed with another key than this server has; \
                     start all servers of a registry with the same `--log-key`",
                ));
            }
            if let Err(error) = checkpoints::keep(database.pool(), &signed).await {
                // A full disk must not block what was handed out before: every client that
                // knows something of the log knows that, or less.
                let last = checkpoints::last(database).await?;
                let last = last.filter(|last| last.key == signed.key);
                return last.ok_or_else(|| error.into());
            }
            state.handed_out = size;
        }
        Ok(signed)
    }
}
