//! Tokens in the database.

use jiff::Timestamp;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::{namespaces, stored};
use crate::database::{Database, DatabaseError};
use crate::names;
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
    /// The token that makes it, with which it ends.
    pub parent: Option<&'a str>,
}

/// Whether an account has ever had a token, which is all that makes one.
pub(crate) async fn has_account(
    connection: &mut AnyConnection,
    account: &str,
) -> Result<bool, sqlx::Error> {
    let found: Option<String> =
        sqlx::query_scalar("SELECT account FROM tokens WHERE account = $1 LIMIT 1")
            .bind(account)
            .fetch_optional(connection)
            .await?;
    Ok(found.is_some())
}

/// Keeps a new token, unless the one that makes it was revoked meanwhile; says whether it did.
pub async fn add(
    database: &Database,
    token: &NewToken,
    terms: Terms<'_>,
    now: Timestamp,
) -> Result<bool, DatabaseError> {
    let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
    let mut change = database.begin().await?;
    if let Some(parent) = terms.parent
        && !hold(&mut change, parent).await?
    {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO tokens (id, hash, account, scopes, created, expires, label, shown, parent) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&token.id)
    .bind(token.hash())
    .bind(terms.account)
    .bind(scopes.join(" "))
    .bind(stored(now))
    .bind(terms.expires.map(stored))
    .bind(terms.label.map(str::to_owned))
    .bind(token.shown())
    .bind(terms.parent.map(str::to_owned))
    .execute(&mut *change)
    .await?;
    change.commit().await?;
    Ok(true)
}

/// Whether a token is not revoked; until the change is over nobody revokes it.
async fn hold(connection: &mut AnyConnection, id: &str) -> Result<bool, sqlx::Error> {
    let held = sqlx::query("UPDATE tokens SET revoked = NULL WHERE id = $1 AND revoked IS NULL");
    let held = held.bind(id).execute(connection).await?;
    Ok(held.rows_affected() > 0)
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
    holding(row.as_ref(), now)
}

/// Whom a token names that was looked up, if it holds.
pub(super) fn holding(
    row: Option<&AnyRow>,
    now: Timestamp,
) -> Result<Option<Identity>, DatabaseError> {
    let Some(row) = row.map(read).transpose()? else {
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

/// The account that a new one would look like; none where it is there already.
pub async fn lookalike(
    database: &Database,
    account: &str,
) -> Result<Option<String>, DatabaseError> {
    let mut connection = database.pool().acquire().await?;
    let accounts = namespaces::accounts(&mut connection).await?;
    if accounts.iter().any(|each| each == account) {
        return Ok(None);
    }
    let folded = |account: &str| names::folded_text(&account.to_lowercase());
    let own = folded(account);
    Ok(accounts.into_iter().find(|each| folded(each) == own))
}

/// Ends a token now, of anybody or of an account, and all that was made with it; returns what
/// ended, the token itself first, and nothing where there was none to be ended.
pub async fn revoke(
    database: &Database,
    id: &str,
    account: Option<&str>,
    now: Timestamp,
) -> Result<Vec<String>, DatabaseError> {
    let mut change = database.begin().await?;
    let mut ended: Vec<String> = sqlx::query_scalar(
        "UPDATE tokens SET revoked = $1 WHERE id = $2 AND revoked IS NULL \
         AND (account = $3 OR $4 = 1) RETURNING id",
    )
    .bind(stored(now))
    .bind(id)
    .bind(account.unwrap_or_default())
    .bind(i64::from(account.is_none()))
    .fetch_all(&mut *change)
    .await?;
    // One after the other: whoever makes a token holds the one it is made with, so that what was
    // made in time is seen here, and nothing is made later.
    let mut looked_at = 0;
    while let Some(parent) = ended.get(looked_at) {
        let made: Vec<String> = sqlx::query_scalar(
            "UPDATE tokens SET revoked = $1 WHERE parent = $2 AND revoked IS NULL RETURNING id",
        )
        .bind(stored(now))
        .bind(parent)
        .fetch_all(&mut *change)
        .await?;
        ended.extend(made);
        looked_at += 1;
    }
    change.commit().await?;
    Ok(ended)
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
