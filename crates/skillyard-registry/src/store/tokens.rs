//! Tokens in the database.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::stored;
use crate::database::{Database, DatabaseError};
use crate::token::{Identity, NewToken, Scope, hash};

/// A token, without what it is.
#[derive(Debug, Clone)]
pub struct TokenRow {
    /// Its name.
    pub id: String,
    /// The account.
    pub account: String,
    /// What it allows.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created: String,
    /// When it ends.
    pub expires: Option<String>,
    /// When it was revoked.
    pub revoked: Option<String>,
}

/// Keeps a new token.
pub async fn add(
    database: &Database,
    token: &NewToken,
    account: &str,
    scopes: &[Scope],
    now: Timestamp,
    expires: Option<Timestamp>,
) -> Result<(), DatabaseError> {
    let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    sqlx::query(
        "INSERT INTO tokens (id, hash, account, scopes, created, expires) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&token.id)
    .bind(token.hash())
    .bind(account)
    .bind(scopes.join(" "))
    .bind(stored(now))
    .bind(expires.map(stored))
    .execute(database.pool())
    .await?;
    Ok(())
}

/// Whom a token names; nobody when it is not known, has ended or was revoked.
pub async fn identify(
    database: &Database,
    token: &str,
    now: Timestamp,
) -> Result<Option<Identity>, DatabaseError> {
    let row = sqlx::query(
        "SELECT id, account, scopes, created, expires, revoked FROM tokens WHERE hash = $1",
    )
    .bind(hash(token))
    .fetch_optional(database.pool())
    .await?;
    let Some(row) = row.as_ref().map(read).transpose()? else {
        return Ok(None);
    };
    // A time that cannot be read has passed.
    let expires = row
        .expires
        .as_deref()
        .map(|text| text.parse().unwrap_or(Timestamp::MIN));
    if row.revoked.is_some() || expires.is_some_and(|expires: Timestamp| expires <= now) {
        return Ok(None);
    }
    Ok(Some(Identity {
        token: row.id,
        account: row.account,
        scopes: row
            .scopes
            .iter()
            .filter_map(|each| each.parse().ok())
            .collect(),
        expires,
    }))
}

/// All tokens, the newest first.
pub async fn list(database: &Database) -> Result<Vec<TokenRow>, DatabaseError> {
    let rows = sqlx::query(
        "SELECT id, account, scopes, created, expires, revoked FROM tokens ORDER BY created DESC, id",
    )
    .fetch_all(database.pool())
    .await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Ends a token now; says whether there was one to be ended.
pub async fn revoke(database: &Database, id: &str, now: Timestamp) -> Result<bool, DatabaseError> {
    let done = sqlx::query("UPDATE tokens SET revoked = $1 WHERE id = $2 AND revoked IS NULL")
        .bind(stored(now))
        .bind(id)
        .execute(database.pool())
        .await?;
    Ok(done.rows_affected() > 0)
}

fn read(row: &AnyRow) -> Result<TokenRow, sqlx::Error> {
    let scopes: String = row.try_get("scopes")?;
    Ok(TokenRow {
        id: row.try_get("id")?,
        account: row.try_get("account")?,
        scopes: scopes.split_whitespace().map(str::to_owned).collect(),
        created: row.try_get("created")?,
        expires: row.try_get("expires")?,
        revoked: row.try_get("revoked")?,
    })
}
