//! Namespaces and who may do what in them.

use jiff::Timestamp;
use skillyard_format::Namespace;
use sqlx::AnyConnection;

use super::owners::{Person, sorted};
use super::{pairs, stored};
use crate::database::{Database, DatabaseError};
use crate::role::Role;

/// The members of a namespace, sorted; empty if the namespace does not exist.
pub async fn members(
    database: &Database,
    namespace: &Namespace,
) -> Result<Vec<Person>, DatabaseError> {
    let statement = "SELECT account, role FROM members WHERE namespace = $1";
    let rows = pairs(database.pool(), statement, namespace.as_str()).await?;
    Ok(sorted(rows)?)
}

/// The skills in a namespace, sorted.
pub async fn skills(
    database: &Database,
    namespace: &Namespace,
) -> Result<Vec<String>, DatabaseError> {
    let mut skills: Vec<String> =
        sqlx::query_scalar("SELECT name FROM skills WHERE namespace = $1")
            .bind(namespace.as_str())
            .fetch_all(database.pool())
            .await?;
    skills.sort_unstable();
    Ok(skills)
}

/// The namespaces that an account is a member of, sorted, with its roles.
pub async fn of(
    database: &Database,
    account: &str,
) -> Result<Vec<(String, String)>, DatabaseError> {
    let statement = "SELECT namespace, role FROM members WHERE account = $1";
    pairs(database.pool(), statement, account).await
}

/// The namespace that has this name, or one that looks like it.
pub(crate) async fn lookalike(
    connection: &mut AnyConnection,
    folded: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT name FROM namespaces WHERE folded = $1")
        .bind(folded)
        .fetch_optional(connection)
        .await
}

/// Adds a namespace whose first owner follows in the same change.
pub(crate) async fn add(
    connection: &mut AnyConnection,
    namespace: &Namespace,
    folded: &str,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO namespaces (name, folded, created) VALUES ($1, $2, $3)")
        .bind(namespace.as_str())
        .bind(folded)
        .bind(stored(now))
        .execute(connection)
        .await?;
    Ok(())
}

/// The role of an account in a namespace.
pub(crate) async fn role(
    connection: &mut AnyConnection,
    namespace: &Namespace,
    account: &str,
) -> Result<Option<Role>, sqlx::Error> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT account, role FROM members WHERE namespace = $1 AND account = $2")
            .bind(namespace.as_str())
            .bind(account)
            .fetch_all(connection)
            .await?;
    Ok(sorted(rows)?.first().map(|person| person.role))
}

/// The accounts that have had a token and look like a namespace.
pub(crate) async fn accounts(connection: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT DISTINCT account FROM tokens")
        .fetch_all(connection)
        .await
}
