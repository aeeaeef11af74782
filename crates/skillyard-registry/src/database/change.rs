//! Changes, which follow one another over all nodes, and what is done where two get into each
//! other's way.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::{Any, AnyConnection, Transaction};
use tokio::sync::OwnedMutexGuard;

use super::{Backend, Database, DatabaseError};

/// How often something is tried that the database breaks off so that others can go on.
const ATTEMPTS: u32 = 4;

/// A change that is not committed yet; dropping it takes everything back.
pub(crate) struct Change {
    transaction: Transaction<'static, Any>,
    /// Held until the change is over.
    _turn: Option<OwnedMutexGuard<()>>,
}

impl Change {
    /// Makes the change last.
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        self.transaction.commit().await
    }

    /// Takes the change back.
    pub(crate) async fn rollback(self) -> Result<(), sqlx::Error> {
        self.transaction.rollback().await
    }
}

impl Deref for Change {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.transaction
    }
}

impl DerefMut for Change {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }
}

impl Database {
    /// Begins a change and returns its number. Changes follow one another, over all nodes.
    pub(crate) async fn change(&self) -> Result<(Change, i64), DatabaseError> {
        self.changes(1).await
    }

    /// Begins so many changes that are made at once; returns the number of the last of them.
    pub(crate) async fn changes(&self, count: i64) -> Result<(Change, i64), DatabaseError> {
        let mut change = self.begin().await?;
        let sequence = sqlx::query_scalar(
            "UPDATE state SET sequence = sequence + $1 WHERE id = 1 RETURNING sequence",
        )
        .bind(count)
        .fetch_one(&mut *change)
        .await?;
        Ok((change, sequence))
    }

    /// Begins a write that does not change a skill.
    pub(crate) async fn begin(&self) -> Result<Change, DatabaseError> {
        // SQLite lets one write and the others sleep and try again, for up to a tenth of a second
        // each time. In a queue of our own the next one goes on at once.
        let turn = match self.kind {
            Backend::Sqlite => Some(Arc::clone(&self.turn).lock_owned().await),
            Backend::Postgres => None,
        };
        Ok(Change {
            transaction: self.pool.begin().await?,
            _turn: turn,
        })
    }
}

/// Does something again that was broken off so that others could go on.
pub(crate) async fn insist<T, E, F: Future<Output = Result<T, E>>>(
    is_passing: impl Fn(&E) -> bool,
    attempt: impl Fn() -> F,
) -> Result<T, E> {
    for _ in 1..ATTEMPTS {
        match attempt().await {
            Err(error) if is_passing(&error) => {}
            result => return result,
        }
    }
    attempt().await
}

/// Locks the rows of skills of a namespace until the change is over, in the order of their names as
/// bytes, as counting downloads does: other orders could deadlock.
pub(crate) async fn lock_within(
    connection: &mut AnyConnection,
    namespace: &str,
) -> Result<(), sqlx::Error> {
    // In SQLite there is one writer, who has locked everything.
    if connection.backend_name() != "PostgreSQL" {
        return Ok(());
    }
    sqlx::query(
        "SELECT name FROM skills WHERE namespace = $1 \
         ORDER BY name COLLATE \"C\" FOR NO KEY UPDATE",
    )
    .bind(namespace)
    .execute(connection)
    .await?;
    Ok(())
}
