//! How often skills are fetched: once per visitor and day.

use sqlx::Connection as _;

use crate::database::{Database, DatabaseError};

/// One fetch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Download {
    /// The skill.
    pub skill: String,
    /// The day, as `2026-11-15`.
    pub day: String,
    /// Who, as a hash that differs from day to day.
    pub visitor: String,
}

/// Counts what was not counted yet.
pub async fn count(database: &Database, downloads: &[Download]) -> Result<(), DatabaseError> {
    let mut connection = database.pool().acquire().await?;
    let mut transaction = connection.begin().await?;
    for each in downloads {
        let added = sqlx::query(
            "INSERT INTO downloads (skill, day, visitor) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(&each.skill)
        .bind(&each.day)
        .bind(&each.visitor)
        .execute(&mut *transaction)
        .await?;
        if added.rows_affected() > 0 {
            sqlx::query("UPDATE skills SET downloads = downloads + 1 WHERE name = $1")
                .bind(&each.skill)
                .execute(&mut *transaction)
                .await?;
        }
    }
    transaction.commit().await?;
    Ok(())
}

/// Forgets visitors of days that have passed.
pub async fn forget_before(database: &Database, day: &str) -> Result<u64, DatabaseError> {
    let done = sqlx::query("DELETE FROM downloads WHERE day < $1")
        .bind(day)
        .execute(database.pool())
        .await?;
    Ok(done.rows_affected())
}
