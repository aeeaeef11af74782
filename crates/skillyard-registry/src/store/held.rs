//! Names that were held, and which of them may pass.

use jiff::Timestamp;

use super::stored;
use crate::database::{Database, DatabaseError};

/// A held name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldName {
    /// The name, or a namespace with its `@`.
    pub name: String,
    /// Who wanted it.
    pub account: String,
    /// Why it was held.
    pub reason: String,
    /// When it was first wanted.
    pub asked: String,
    /// When it was let pass.
    pub allowed: Option<String>,
}

/// All of them, the newest first.
pub async fn list(database: &Database) -> Result<Vec<HeldName>, DatabaseError> {
    let rows: Vec<(String, String, String, String, Option<String>)> = sqlx::query_as(
        "SELECT name, account, reason, asked, allowed FROM held_names ORDER BY asked DESC, name",
    )
    .fetch_all(database.pool())
    .await?;
    let read = |(name, account, reason, asked, allowed)| HeldName {
        name,
        account,
        reason,
        asked,
        allowed,
    };
    Ok(rows.into_iter().map(read).collect())
}

/// Lets an account have a name; says whether it had wanted it.
pub async fn allow(
    database: &Database,
    name: &str,
    account: &str,
    now: Timestamp,
) -> Result<bool, DatabaseError> {
    let done = sqlx::query("UPDATE held_names SET allowed = $1 WHERE name = $2 AND account = $3")
        .bind(stored(now))
        .bind(name)
        .bind(account)
        .execute(database.pool())
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Whether an account may have a name in spite of what it is near to.
pub(crate) async fn is_allowed(
    database: &Database,
    name: &str,
    account: &str,
) -> Result<bool, DatabaseError> {
    let found: Option<String> = sqlx::query_scalar(
        "SELECT name FROM held_names WHERE name = $1 AND account = $2 AND allowed IS NOT NULL",
    )
    .bind(name)
    .bind(account)
    .fetch_optional(database.pool())
    .await?;
    Ok(found.is_some())
}

/// Notes that an account wanted a name.
pub(crate) async fn note(
    database: &Database,
    name: &str,
    account: &str,
    reason: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    sqlx::query(
        "INSERT INTO held_names (name, account, reason, asked) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (name, account) DO NOTHING",
    )
    .bind(name)
    .bind(account)
    .bind(reason)
    .bind(stored(now))
    .execute(database.pool())
    .await?;
    Ok(())
}
