//! The log of all published versions, in order, and its entries whose versions a mirror does not have.

use skillyard_format::Digest;
use sqlx::AnyConnection;

use super::decode;
use crate::database::{Database, DatabaseError};

/// A version as the log has it.
#[derive(Debug, Clone)]
pub(crate) struct LoggedRow {
    pub(crate) skill: String,
    pub(crate) version: String,
    pub(crate) digest: Digest,
    pub(crate) signer: Option<String>,
    pub(crate) sequence: i64,
}

/// What was published, in order, from a place in the log on.
pub(crate) async fn from(
    database: &Database,
    place: i64,
    limit: i64,
) -> Result<Vec<LoggedRow>, DatabaseError> {
    let rows: Vec<Logged> = sqlx::query_as(
        "SELECT skill, version, digest, signer, sequence FROM versions UNION ALL \
         SELECT skill, version, digest, signer, sequence FROM absent \
         ORDER BY sequence LIMIT $1 OFFSET $2",
    )
    .bind(limit)
    .bind(place)
    .fetch_all(database.pool())
    .await?;
    Ok(rows.into_iter().map(logged).collect::<Result<_, _>>()?)
}

type Logged = (String, String, String, Option<String>, i64);

fn logged((skill, version, digest, signer, sequence): Logged) -> Result<LoggedRow, sqlx::Error> {
    Ok(LoggedRow {
        digest: digest.parse().map_err(decode)?,
        skill,
        version,
        signer,
        sequence,
    })
}

/// The next of what was published after a change, in order.
pub(crate) async fn after(
    database: &Database,
    sequence: i64,
    limit: usize,
) -> Result<Vec<LoggedRow>, DatabaseError> {
    let rows: Vec<Logged> = sqlx::query_as(
        "SELECT skill, version, digest, signer, sequence FROM versions WHERE sequence > $1 \
         UNION ALL SELECT skill, version, digest, signer, sequence FROM absent \
         WHERE sequence > $2 ORDER BY sequence LIMIT $3",
    )
    .bind(sequence)
    .bind(sequence)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(database.pool())
    .await?;
    Ok(rows.into_iter().map(logged).collect::<Result<_, _>>()?)
}

/// How many entries the log has, within a change.
pub(crate) async fn length(connection: &mut AnyConnection) -> Result<i64, sqlx::Error> {
    let count = "SELECT (SELECT COUNT(*) FROM versions) + (SELECT COUNT(*) FROM absent)";
    sqlx::query_scalar(count).fetch_one(connection).await
}

/// All of them, in the order of the log.
pub(crate) async fn missing(database: &Database) -> Result<Vec<LoggedRow>, DatabaseError> {
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

/// Stores that an entry could not be fetched, and why.
pub(crate) async fn add_missing(
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
pub(crate) async fn remove_missing(
    connection: &mut AnyConnection,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM absent WHERE sequence = $1")
        .bind(sequence)
        .execute(connection)
        .await?;
    Ok(())
}
