//! Words that stand for a version: `beta`, `lts`, and `latest` where somebody set it by hand.

use std::collections::BTreeMap;

use jiff::Timestamp;
use semver::Version;
use sqlx::{Any, AnyConnection, Executor};

use super::{pairs, stored};
use crate::database::DatabaseError;

/// The tags of a skill with their versions, sorted.
pub async fn of(
    executor: impl Executor<'_, Database = Any>,
    skill: &str,
) -> Result<Vec<(String, String)>, DatabaseError> {
    pairs(
        executor,
        "SELECT tag, version FROM tags WHERE skill = $1",
        skill,
    )
    .await
}

/// The tags of a skill as they are told: a version that was withdrawn is no tag's, and there is a
/// latest one, also where nobody set it.
pub(crate) async fn offered(
    executor: impl Executor<'_, Database = Any>,
    skill: &str,
) -> Result<BTreeMap<String, String>, DatabaseError> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.tag, t.version FROM tags t \
         JOIN versions v ON v.skill = t.skill AND v.version = t.version \
         WHERE t.skill = $1 AND v.yanked = 0 \
         UNION SELECT 'latest', s.latest FROM skills s \
         JOIN versions v ON v.skill = s.name AND v.version = s.latest \
         WHERE s.name = $2 AND v.yanked = 0",
    )
    .bind(skill)
    .bind(skill)
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().collect())
}

/// Every tag there is: skill, tag, version.
pub(crate) async fn all(
    executor: impl Executor<'_, Database = Any>,
) -> Result<Vec<(String, String, String)>, DatabaseError> {
    let rows = sqlx::query_as("SELECT skill, tag, version FROM tags");
    Ok(rows.fetch_all(executor).await?)
}

/// The version that a tag stands for, within a change.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    skill: &str,
    tag: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT version FROM tags WHERE skill = $1 AND tag = $2")
        .bind(skill)
        .bind(tag)
        .fetch_optional(connection)
        .await
}

/// Lets a tag stand for a version.
pub(crate) async fn set(
    connection: &mut AnyConnection,
    skill: &str,
    tag: &str,
    version: &Version,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO tags (skill, tag, version, changed) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (skill, tag) DO UPDATE SET version = excluded.version, changed = excluded.changed",
    )
    .bind(skill)
    .bind(tag)
    .bind(version.to_string())
    .bind(stored(now))
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes a tag away; says whether it was there.
pub(crate) async fn remove(
    connection: &mut AnyConnection,
    skill: &str,
    tag: &str,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query("DELETE FROM tags WHERE skill = $1 AND tag = $2")
        .bind(skill)
        .bind(tag)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Takes all tags of a skill away.
pub(crate) async fn clear(connection: &mut AnyConnection, skill: &str) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM tags WHERE skill = $1")
        .bind(skill)
        .execute(connection)
        .await?;
    Ok(())
}
