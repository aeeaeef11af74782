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
    /// What its owner calls it.
    pub label: Option<String>,
    /// Its first characters.
    pub shown: Option<String>,
}

/// What a token is to be.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Whom it names.
    pub account: &'a str,
    /// What it allows.
    pub scopes: &'a [Scope],
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// What its owner calls it.
    pub label: Option<&'a str>,
}

/// Keeps a new token.
pub async fn add(
    database: &Database,
    token: &NewToken,
    terms: Terms<'_>,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
    sqlx::query(
        "INSERT INTO tokens (id, hash, account, scopes, created, expires, label, shown) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(&token.id)
    .bind(token.hash())
    .bind(terms.account)
    .bind(scopes.join(" "))
    .bind(stored(now))
    .bind(terms.expires.map(stored))
    .bind(terms.label.map(str::to_owned))
    .bind(token.shown())
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
        "SELECT id, account, scopes, created, expires, revoked, label, shown \
         FROM tokens WHERE hash = $1",
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

/// All tokens, or those of an account, the newest first.
pub async fn list(
    database: &Database,
    account: Option<&str>,
) -> Result<Vec<TokenRow>, DatabaseError> {
    let rows = sqlx::query(
        "SELECT id, account, scopes, created, expires, revoked, label, shown FROM tokens \
         WHERE account = $1 OR $2 = 1 ORDER BY created DESC, id",
    )
    .bind(account.unwrap_or_default())
    .bind(i64::from(account.is_none()))
    .fetch_all(database.pool())
    .await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Ends a token now, of anybody or of an account; says whether there was one to be ended.
pub async fn revoke(
    database: &Database,
    id: &str,
    account: Option<&str>,
    now: Timestamp,
) -> Result<bool, DatabaseError> {
    let done = sqlx::query(
        "UPDATE tokens SET revoked = $1 WHERE id = $2 AND revoked IS NULL \
         AND (account = $3 OR $4 = 1)",
    )
    .bind(stored(now))
    .bind(id)
    .bind(account.unwrap_or_default())
    .bind(i64::from(account.is_none()))
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
        label: row.try_get("label")?,
        shown: row.try_get("shown")?,
    })
}
