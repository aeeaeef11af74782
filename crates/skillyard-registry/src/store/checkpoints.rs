//! Every length of the log that was signed and handed out: what the current log must begin with.

use skillyard_trust::transparency::{Checkpoint, SignedCheckpoint};
use sqlx::{Any, Executor};

use crate::database::{Database, DatabaseError};

/// All of them, the shortest first.
pub(crate) async fn all(
    executor: impl Executor<'_, Database = Any>,
) -> Result<Vec<SignedCheckpoint>, DatabaseError> {
    let rows: Vec<Row> =
        sqlx::query_as("SELECT size, root, time, key, signature FROM checkpoints ORDER BY size")
            .fetch_all(executor)
            .await?;
    let rows: Result<_, sqlx::Error> = rows.into_iter().map(read).collect();
    Ok(rows?)
}

/// The longest.
pub(crate) async fn last(database: &Database) -> Result<Option<SignedCheckpoint>, DatabaseError> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT size, root, time, key, signature FROM checkpoints ORDER BY size DESC LIMIT 1",
    )
    .fetch_optional(database.pool())
    .await?;
    Ok(row.map(read).transpose()?)
}

/// Keeps one, unless there is one of that length.
pub(crate) async fn keep(
    executor: impl Executor<'_, Database = Any>,
    signed: &SignedCheckpoint,
) -> Result<(), DatabaseError> {
    sqlx::query(
        "INSERT INTO checkpoints (size, root, time, key, signature) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (size) DO NOTHING",
    )
    .bind(i64::try_from(signed.checkpoint.size).unwrap_or(i64::MAX))
    .bind(signed.checkpoint.root.to_string())
    .bind(&signed.checkpoint.time)
    .bind(&signed.key)
    .bind(&signed.signature)
    .execute(executor)
    .await?;
    Ok(())
}

/// Forgets those that another key signed; says how many they were.
pub(crate) async fn forget_others(database: &Database, key: &str) -> Result<u64, DatabaseError> {
    let gone = sqlx::query("DELETE FROM checkpoints WHERE key <> $1")
        .bind(key)
        .execute(database.pool())
        .await?;
    Ok(gone.rows_affected())
}

type Row = (i64, String, String, String, String);

fn read((size, root, time, key, signature): Row) -> Result<SignedCheckpoint, sqlx::Error> {
    Ok(SignedCheckpoint {
        checkpoint: Checkpoint {
            size: u64::try_from(size).unwrap_or_default(),
            root: root.parse().map_err(super::decode)?,
            time,
        },
        key,
        signature,
    })
}
