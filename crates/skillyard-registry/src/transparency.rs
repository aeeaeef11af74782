//! The log of all versions, kept in memory and read on from the database.

use std::collections::HashMap;

use skillyard_trust::signature::SigningKey;
use skillyard_trust::transparency::{Checkpoint, MerkleTree, SignedCheckpoint, leaf};
use tokio::sync::{Mutex, MutexGuard};

use crate::database::Database;
use crate::error::RegistryError;
use crate::store::{checkpoints, versions};

/// The log.
#[derive(Default)]
pub(crate) struct Log {
    state: Mutex<State>,
}

/// What was read so far.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) tree: MerkleTree,
    places: HashMap<(String, String), usize>,
    sequence: i64,
    /// The longest that was signed here.
    handed_out: usize,
}

impl State {
    /// Where a version stands.
    pub(crate) fn place(&self, skill: &str, version: &str) -> Option<usize> {
        self.places
            .get(&(skill.to_owned(), version.to_owned()))
            .copied()
    }
}

impl Log {
    /// The log up to the last version.
    pub(crate) async fn read(
        &self,
        database: &Database,
    ) -> Result<MutexGuard<'_, State>, RegistryError> {
        let mut state = self.state.lock().await;
        // Numbers are given out and committed in one order, so nothing appears behind this one.
        for row in versions::logged_after(database, state.sequence).await? {
            let signer = row.signer.as_deref();
            state
                .tree
                .push(leaf(&row.skill, &row.version, row.digest, signer));
            let place = state.tree.size() - 1;
            state.places.insert((row.skill, row.version), place);
            state.sequence = row.sequence;
        }
        Ok(state)
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
        // What was handed out once the log has to begin with for good; `verify` asks for it.
        if state.handed_out < size {
            checkpoints::keep(database, &signed).await?;
            state.handed_out = size;
        }
        Ok(signed)
    }
}
