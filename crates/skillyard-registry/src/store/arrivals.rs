//! What a mirror has looked at and does not show yet.

use jiff::Timestamp;
use semver::Version;
use skillyard_format::Digest;
use sqlx::AnyConnection;

use super::{decode, stored};
use crate::database::{Database, DatabaseError};
use crate::package::Package;

/// Keeps a version, in the place of one that was kept before.
pub(crate) async fn keep(
    database: &Database,
    package: &Package,
    publisher: &str,
    time: Timestamp,
) -> Result<(), DatabaseError> {
    let facts = serde_json::to_string(&package.facts).map_err(decode)?;
    let mut change = database.begin().await?;
    let (skill, version) = (package.name.as_str(), package.version.to_string());
    sqlx::query("DELETE FROM arrivals WHERE skill = $1 AND version = $2")
        .bind(skill)
        .bind(&version)
        .execute(&mut *change)
        .await?;
    sqlx::query(
        "INSERT INTO arrivals (skill, version, digest, tree, size, published, publisher, signer, \
         verdict, facts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(skill)
    .bind(&version)
    .bind(package.digest.to_string())
    .bind(package.tree.to_string())
    .bind(i64::try_from(package.archive.len()).unwrap_or(i64::MAX))
    .bind(stored(time))
    .bind(publisher)
    .bind(package.signer.clone())
    .bind(package.verdict)
    .bind(facts)
    .execute(&mut *change)
    .await?;
    change.commit().await?;
    Ok(())
}

/// What is known of a version that is kept.
pub(crate) struct Arrival {
    /// The digest of its archive.
    pub(crate) digest: Digest,
    /// Who signed it.
    pub(crate) signer: Option<String>,
    /// When it was published.
    pub(crate) published: String,
}

/// A version that is kept.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    skill: &str,
    version: &Version,
) -> Result<Option<Arrival>, sqlx::Error> {
    let row: Option<(String, Option<String>, String)> = sqlx::query_as(
        "SELECT digest, signer, published FROM arrivals WHERE skill = $1 AND version = $2",
    )
    .bind(skill)
    .bind(version.to_string())
    .fetch_optional(connection)
    .await?;
    let read = |(digest, signer, published): (String, _, _)| {
        Ok(Arrival {
            digest: digest.parse().map_err(decode)?,
            signer,
            published,
        })
    };
    row.map(read).transpose()
}

/// Adds a version that is kept to the versions, with the number of a change.
pub(crate) async fn show(
    connection: &mut AnyConnection,
    skill: &str,
    version: &Version,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO versions (skill, version, sequence, digest, tree, size, published, \
         publisher, signer, verdict, facts) SELECT skill, version, CAST($1 AS BIGINT), digest, tree, size, \
         published, publisher, signer, verdict, facts FROM arrivals \
         WHERE skill = $2 AND version = $3",
    )
    .bind(sequence)
    .bind(skill)
    .bind(version.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps nothing any more.
pub(crate) async fn clear(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM arrivals")
        .execute(connection)
        .await?;
    Ok(())
}
