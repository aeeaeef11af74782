//! Who owns a skill.

use jiff::Timestamp;
use sqlx::AnyConnection;

use super::stored;
use crate::database::{Database, DatabaseError};

/// The owners of a skill, sorted.
pub async fn of(database: &Database, skill: &str) -> Result<Vec<String>, DatabaseError> {
    let mut owners: Vec<String> = sqlx::query_scalar("SELECT account FROM owners WHERE skill = $1")
        .bind(skill)
        .fetch_all(database.pool())
        .await?;
    // Databases sort text by their own rules.
    owners.sort_unstable();
    Ok(owners)
}

/// The skills of an account, sorted.
pub async fn skills_of(database: &Database, account: &str) -> Result<Vec<String>, DatabaseError> {
    let mut skills: Vec<String> = sqlx::query_scalar("SELECT skill FROM owners WHERE account = $1")
        .bind(account)
        .fetch_all(database.pool())
        .await?;
    skills.sort_unstable();
    Ok(skills)
}

/// Whether an account owns a skill.
pub(crate) async fn is_owner(
    connection: &mut AnyConnection,
    skill: &str,
    account: &str,
) -> Result<bool, sqlx::Error> {
    let found: Option<String> =
        sqlx::query_scalar("SELECT account FROM owners WHERE skill = $1 AND account = $2")
            .bind(skill)
            .bind(account)
            .fetch_optional(connection)
            .await?;
    Ok(found.is_some())
}

/// Makes an account an owner.
pub(crate) async fn add(
    connection: &mut AnyConnection,
    skill: &str,
    account: &str,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO owners (skill, account, added) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(skill)
    .bind(account)
    .bind(stored(now))
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes an owner away.
pub(crate) async fn remove(
    connection: &mut AnyConnection,
    skill: &str,
    account: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM owners WHERE skill = $1 AND account = $2")
        .bind(skill)
        .bind(account)
        .execute(connection)
        .await?;
    Ok(())
}

/// How many owners a skill has.
pub(crate) async fn count(connection: &mut AnyConnection, skill: &str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT COUNT(*) FROM owners WHERE skill = $1")
        .bind(skill)
        .fetch_one(connection)
        .await
}
