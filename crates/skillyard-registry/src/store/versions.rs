//! Versions, which are added and withdrawn, and never replaced.

use std::collections::HashSet;

use jiff::Timestamp;
use semver::Version;
use skillyard_format::Digest;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, Executor, Row as _};

use super::decode;
use crate::database::{Database, DatabaseError};
use crate::package::{Facts, Package};

/// A published version.
#[derive(Debug, Clone)]
pub struct VersionRow {
    /// The version.
    pub version: Version,
    /// The number of the change that published it.
    pub sequence: i64,
    /// The digest of its archive.
    pub digest: Digest,
    /// The digest over its files.
    pub tree: Digest,
    /// The length of its archive.
    pub size: u64,
    /// When.
    pub published: String,
    /// By whom.
    pub publisher: String,
    /// Who signed it.
    pub signer: Option<String>,
    /// The worst that the scanner found.
    pub verdict: String,
    /// What is told about it.
    pub facts: Facts,
    /// Why it was withdrawn, if it was.
    pub yanked: Option<String>,
}

/// All versions of a skill, in the order in which they were published.
pub async fn of(
    executor: impl Executor<'_, Database = Any>,
    skill: &str,
) -> Result<Vec<VersionRow>, DatabaseError> {
    let statement = concat!(
        "SELECT version, sequence, digest, tree, size, published, publisher, signer, verdict, ",
        "facts, yanked, yank_reason FROM versions WHERE skill = $1 ORDER BY sequence"
    );
    let rows = sqlx::query(statement)
        .bind(skill)
        .fetch_all(executor)
        .await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// One version of a skill.
pub async fn one(
    database: &Database,
    skill: &str,
    version: &Version,
) -> Result<Option<VersionRow>, DatabaseError> {
    let mut connection = database.pool().acquire().await?;
    Ok(find(&mut connection, skill, version).await?)
}

/// One version of a skill, within a change.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    skill: &str,
    version: &Version,
) -> Result<Option<VersionRow>, sqlx::Error> {
    let statement = concat!(
        "SELECT version, sequence, digest, tree, size, published, publisher, signer, verdict, ",
        "facts, yanked, yank_reason FROM versions WHERE skill = $1 AND version = $2"
    );
    let row = sqlx::query(statement)
        .bind(skill)
        .bind(version.to_string())
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(read).transpose()
}

/// Adds a version.
pub(crate) async fn add(
    connection: &mut AnyConnection,
    package: &Package,
    publisher: &str,
    sequence: i64,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    let facts = serde_json::to_string(&package.facts).map_err(|e| sqlx::Error::Encode(e.into()))?;
    sqlx::query(
        "INSERT INTO versions (skill, version, sequence, digest, tree, size, published, publisher, \
         signer, verdict, facts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(package.name.as_str())
    .bind(package.version.to_string())
    .bind(sequence)
    .bind(package.digest.to_string())
    .bind(package.tree.to_string())
    .bind(i64::try_from(package.archive.len()).unwrap_or(i64::MAX))
    .bind(super::stored(now))
    .bind(publisher)
    .bind(package.signer.clone())
    .bind(package.verdict)
    .bind(facts)
    .execute(connection)
    .await?;
    Ok(())
}

/// Withdraws a version for a reason, or takes that back without one.
pub(crate) async fn set_yanked(
    connection: &mut AnyConnection,
    skill: &str,
    version: &Version,
    reason: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE versions SET yanked = $1, yank_reason = $2 WHERE skill = $3 AND version = $4",
    )
    .bind(i64::from(reason.is_some()))
    .bind(reason.map(str::to_owned))
    .bind(skill)
    .bind(version.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// The numbers of all versions of a skill, and which are withdrawn.
pub(crate) async fn numbers(
    connection: &mut AnyConnection,
    skill: &str,
) -> Result<Vec<(Version, bool)>, sqlx::Error> {
    let rows: Vec<(String, i64)> =
        sqlx::query_as("SELECT version, yanked FROM versions WHERE skill = $1")
            .bind(skill)
            .fetch_all(connection)
            .await?;
    let read = |(text, yanked): (String, i64)| {
        let version = Version::parse(&text).map_err(|e| sqlx::Error::Decode(e.into()))?;
        Ok((version, yanked != 0))
    };
    rows.into_iter().map(read).collect()
}

/// A version as it has to be found in the store.
#[derive(Debug, Clone)]
pub(crate) struct StoredRow {
    pub(crate) skill: String,
    pub(crate) version: String,
    pub(crate) digest: Digest,
    pub(crate) tree: Digest,
    pub(crate) size: u64,
    pub(crate) signer: Option<String>,
    /// Whether it was ever to be had; a mirror keeps only the entry of one that was not.
    pub(crate) is_here: bool,
}

type Stored = (String, String, String, String, i64, Option<String>, i64);

/// Every entry, in the order of the log.
pub(crate) async fn stored(
    executor: impl Executor<'_, Database = Any>,
) -> Result<Vec<StoredRow>, DatabaseError> {
    let rows: Vec<Stored> = sqlx::query_as(
        "SELECT skill, version, digest, tree, size, signer, CAST(1 AS BIGINT) AS here, sequence FROM versions \
         UNION ALL SELECT skill, version, digest, digest, 0, signer, 0, sequence FROM absent \
         ORDER BY sequence",
    )
    .fetch_all(executor)
    .await?;
    let read = |(skill, version, digest, tree, size, signer, here): Stored| {
        Ok(StoredRow {
            skill,
            version,
            digest: digest.parse().map_err(decode)?,
            tree: tree.parse().map_err(decode)?,
            size: u64::try_from(size).unwrap_or_default(),
            signer,
            is_here: here != 0,
        })
    };
    let rows: Result<_, sqlx::Error> = rows.into_iter().map(read).collect();
    Ok(rows?)
}

/// Every digest there is.
pub async fn digests(database: &Database) -> Result<Vec<(String, String, Digest)>, DatabaseError> {
    let rows: Vec<(String, String, String)> =
        sqlx::query_as("SELECT skill, version, digest FROM versions ORDER BY sequence")
            .fetch_all(database.pool())
            .await?;
    let read = |(skill, version, digest): (String, String, String)| {
        let digest = digest.parse().map_err(decode)?;
        Ok((skill, version, digest))
    };
    let rows: Result<_, sqlx::Error> = rows.into_iter().map(read).collect();
    Ok(rows?)
}

/// The digests of all archives that a version has, or will have.
pub(crate) async fn used(database: &Database) -> Result<HashSet<Digest>, DatabaseError> {
    let rows: Vec<String> =
        sqlx::query_scalar("SELECT digest FROM versions UNION SELECT digest FROM arrivals")
            .fetch_all(database.pool())
            .await?;
    let read = |digest: String| digest.parse().map_err(decode);
    let rows: Result<_, sqlx::Error> = rows.into_iter().map(read).collect();
    Ok(rows?)
}

/// Whether any version has this archive, or will have it.
pub(crate) async fn uses(
    connection: &mut AnyConnection,
    digest: Digest,
) -> Result<bool, sqlx::Error> {
    let found: Option<String> = sqlx::query_scalar(
        "SELECT skill FROM versions WHERE digest = $1 \
         UNION ALL SELECT skill FROM arrivals WHERE digest = $2 LIMIT 1",
    )
    .bind(digest.to_string())
    .bind(digest.to_string())
    .fetch_optional(connection)
    .await?;
    Ok(found.is_some())
}

pub(super) fn read(row: &AnyRow) -> Result<VersionRow, sqlx::Error> {
    let text = |column: &str| row.try_get::<String, _>(column);
    let facts = text("facts")?;
    let yanked: i64 = row.try_get("yanked")?;
    let reason: Option<String> = row.try_get("yank_reason")?;
    let size: i64 = row.try_get("size")?;
    Ok(VersionRow {
        version: Version::parse(&text("version")?).map_err(decode)?,
        sequence: row.try_get("sequence")?,
        digest: text("digest")?.parse().map_err(decode)?,
        tree: text("tree")?.parse().map_err(decode)?,
        size: u64::try_from(size).unwrap_or_default(),
        published: text("published")?,
        publisher: text("publisher")?,
        signer: row.try_get("signer")?,
        verdict: text("verdict")?,
        facts: serde_json::from_str(&facts).map_err(decode)?,
        yanked: (yanked != 0).then(|| reason.unwrap_or_default()),
    })
}
