//! What a change puts into the store.

use super::{Transaction, TransactionError, Trees};
use crate::store::{Absent, Insertion};

impl Transaction<'_> {
    /// What the store does not have.
    pub(super) fn absent<'t>(&self, trees: &'t Trees) -> Result<Absent<'t>, TransactionError> {
        Ok(self.store.absent(trees.values())?)
    }

    /// The same, written beside it.
    pub(super) fn missing(
        &self,
        absent: Absent<'_>,
    ) -> Result<Option<Insertion<'_>>, TransactionError> {
        Ok(self.store.prepare(absent)?)
    }

    /// Puts into the store what it did not have.
    pub(super) fn keep(new: Option<Insertion<'_>>) -> Result<(), TransactionError> {
        Ok(new.map_or(Ok(()), Insertion::publish)?)
    }

    /// Tells the store who needs what is in it.
    pub(super) fn remember(&self) -> Result<(), TransactionError> {
        Ok(self.store.remember(&self.scope.lock_file())?)
    }
}
