//! Offers to hand a skill or a namespace over, which the recipient must accept.

use jiff::Timestamp;
use sqlx::AnyConnection;

use super::stored;
use crate::database::{Database, DatabaseError};

/// An offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// A skill, or a namespace with its `@`.
    pub subject: String,
    /// Who offers it.
    pub sender: String,
    /// The account it is offered to.
    pub recipient: String,
    /// Until when.
    pub expires: String,
}

type Row = (String, String, String, String);

fn read((subject, sender, recipient, expires): Row) -> Transfer {
    Transfer {
        subject,
        sender,
        recipient,
        expires,
    }
}

/// The offers that an account made or got and that still stand, sorted.
pub async fn of(
    database: &Database,
    account: &str,
    now: Timestamp,
) -> Result<Vec<Transfer>, DatabaseError> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT subject, sender, recipient, expires FROM transfers \
         WHERE (sender = $1 OR recipient = $2) AND expires > $3",
    )
    .bind(account)
    .bind(account)
    .bind(stored(now))
    .fetch_all(database.pool())
    .await?;
    let mut found: Vec<Transfer> = rows.into_iter().map(read).collect();
    found.sort_unstable_by(|a, b| a.subject.cmp(&b.subject));
    Ok(found)
}

/// The offer for a subject that still stands.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    subject: &str,
    now: Timestamp,
) -> Result<Option<Transfer>, sqlx::Error> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT subject, sender, recipient, expires FROM transfers \
         WHERE subject = $1 AND expires > $2",
    )
    .bind(subject)
    .bind(stored(now))
    .fetch_optional(connection)
    .await?;
    Ok(row.map(read))
}

/// Makes an offer, instead of an earlier one.
pub(crate) async fn offer(
    connection: &mut AnyConnection,
    transfer: &Transfer,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO transfers (subject, sender, recipient, offered, expires) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (subject) DO UPDATE SET \
         sender = excluded.sender, recipient = excluded.recipient, \
         offered = excluded.offered, expires = excluded.expires",
    )
    .bind(&transfer.subject)
    .bind(&transfer.sender)
    .bind(&transfer.recipient)
    .bind(stored(now))
    .bind(&transfer.expires)
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes an offer away.
pub(crate) async fn remove(
    connection: &mut AnyConnection,
    subject: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM transfers WHERE subject = $1")
        .bind(subject)
        .execute(connection)
        .await?;
    Ok(())
}
