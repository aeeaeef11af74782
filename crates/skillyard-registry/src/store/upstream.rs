//! Where a mirror gets everything from.

use sqlx::{Any, Executor};

use crate::database::{Database, DatabaseError};

/// The registry behind a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upstream {
    /// Its address.
    pub(crate) url: String,
    /// The key that signs its log.
    pub(crate) key: String,
    /// The last of its changes that was read.
    pub(crate) sequence: i64,
}

/// The registry behind this one, if it is a mirror.
pub(crate) async fn find(database: &Database) -> Result<Option<Upstream>, DatabaseError> {
    let row: Option<(String, String, i64)> =
        sqlx::query_as("SELECT url, key, sequence FROM upstream")
            .fetch_optional(database.pool())
            .await?;
    Ok(row.map(|(url, key, sequence)| Upstream { url, key, sequence }))
}

/// Remembers it.
pub(crate) async fn keep(
    executor: impl Executor<'_, Database = Any>,
    upstream: &Upstream,
) -> Result<(), DatabaseError> {
    sqlx::query(
        "INSERT INTO upstream (url, key, sequence) VALUES ($1, $2, $3) \
         ON CONFLICT (url) DO UPDATE SET key = excluded.key, sequence = excluded.sequence",
    )
    .bind(&upstream.url)
    .bind(&upstream.key)
    .bind(upstream.sequence)
    .execute(executor)
    .await?;
    Ok(())
}
