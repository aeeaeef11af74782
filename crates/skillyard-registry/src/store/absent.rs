//! Entries of the log whose versions a mirror could not have.

use sqlx::AnyConnection;

use super::decode;
use super::logged::LoggedRow;
use crate::database::{Database, DatabaseError};

/// All of them, in the order of the log.
pub(crate) async fn all(database: &Database) -> Result<Vec<LoggedRow>, DatabaseError> {
    let rows: Vec<(String, String, String, Option<String>, i64)> = sqlx::query_as(
        "SELECT skill, version, digest, signer, sequence FROM absent ORDER BY sequence",
    )
    .fetch_all(database.pool())
    .await?;
    let read = |(skill, version, digest, signer, sequence): (_, _, String, _, _)| {
        Ok(LoggedRow {
            skill,
            version,
            digest: digest.parse().map_err(decode)?,
            signer,
            sequence,
        })
    };
    let rows: Result<_, sqlx::Error> = rows.into_iter().map(read).collect();
    Ok(rows?)
}

/// Notes that an entry could not be had, and why.
pub(crate) async fn add(
    connection: &mut AnyConnection,
    entry: &LoggedRow,
    reason: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO absent (sequence, skill, version, digest, signer, reason) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(entry.sequence)
    .bind(&entry.skill)
    .bind(&entry.version)
    .bind(entry.digest.to_string())
    .bind(entry.signer.clone())
    .bind(reason)
    .execute(connection)
    .await?;
    Ok(())
}

/// Forgets an entry that is here after all.
pub(crate) async fn remove(
    connection: &mut AnyConnection,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM absent WHERE sequence = $1")
        .bind(sequence)
        .execute(connection)
        .await?;
    Ok(())
}
