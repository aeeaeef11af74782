//! Logins of browsers in the database.

use jiff::{SignedDuration, Timestamp};
use skillyard_http::login::LIFETIME;

use super::{stored, tokens};
use crate::database::{Database, DatabaseError};
use crate::token::Identity;

/// How many logins a token has at once; of more, the oldest end.
const MAX_LOGINS: i64 = 100;

/// Keeps a login with a token.
pub(crate) async fn begin(
    database: &Database,
    hash: &str,
    token: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let mut change = database.begin().await?;
    sqlx::query("DELETE FROM logins WHERE begun <= $1")
        .bind(ended_by(now))
        .execute(&mut *change)
        .await?;
    sqlx::query(
        "DELETE FROM logins WHERE token = $1 AND hash NOT IN \
         (SELECT hash FROM logins WHERE token = $2 ORDER BY begun DESC, hash LIMIT $3)",
    )
    .bind(token)
    .bind(token)
    .bind(MAX_LOGINS - 1)
    .execute(&mut *change)
    .await?;
    sqlx::query("INSERT INTO logins (hash, token, begun) VALUES ($1, $2, $3)")
        .bind(hash)
        .bind(token)
        .bind(stored(now))
        .execute(&mut *change)
        .await?;
    change.commit().await?;
    Ok(())
}

/// Whom a login names; nobody when it is not known or has ended, or its token does not hold.
pub(crate) async fn identify(
    database: &Database,
    hash: &str,
    now: Timestamp,
) -> Result<Option<Identity>, DatabaseError> {
    let row = sqlx::query(
        "SELECT id, account, scopes, created, expires, revoked, label, shown FROM tokens \
         WHERE id = (SELECT token FROM logins WHERE hash = $1 AND begun > $2)",
    )
    .bind(hash)
    .bind(ended_by(now))
    .fetch_optional(database.pool())
    .await?;
    tokens::holding(row.as_ref(), now)
}

/// Ends a login.
pub(crate) async fn end(database: &Database, hash: &str) -> Result<(), DatabaseError> {
    sqlx::query("DELETE FROM logins WHERE hash = $1")
        .bind(hash)
        .execute(database.pool())
        .await?;
    Ok(())
}

/// What began at that time, or before it, has ended.
fn ended_by(now: Timestamp) -> String {
    let lifetime = SignedDuration::try_from(LIFETIME).unwrap_or(SignedDuration::MAX);
    stored(now.checked_sub(lifetime).unwrap_or(Timestamp::MIN))
}
