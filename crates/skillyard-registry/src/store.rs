//! The statements, one file per concept. Values are always bound, never written into a statement.

pub(crate) mod arrivals;
pub(crate) mod checkpoints;
pub mod downloads;
pub mod held;
pub(crate) mod listing;
pub(crate) mod logged;
pub(crate) mod logins;
pub mod namespaces;
pub mod owners;
pub(crate) mod roles;
pub mod skills;
pub mod tags;
pub mod tokens;
pub mod transfers;
pub(crate) mod upstream;
pub mod versions;

use jiff::Timestamp;
use sqlx::{Any, Executor};

use crate::database::DatabaseError;

/// A time as it is stored: to the second, in UTC.
pub(crate) fn stored(time: Timestamp) -> String {
    let seconds = Timestamp::from_second(time.as_second());
    seconds.unwrap_or(time).to_string()
}

/// Two columns of the rows that have a value, sorted; databases sort text by their own rules.
async fn pairs(
    executor: impl Executor<'_, Database = Any>,
    statement: &'static str,
    value: &str,
) -> Result<Vec<(String, String)>, DatabaseError> {
    let rows = sqlx::query_as(statement).bind(value);
    let mut rows: Vec<(String, String)> = rows.fetch_all(executor).await?;
    rows.sort_unstable();
    Ok(rows)
}

/// So many parameters of a statement, as they stand between brackets.
fn places(count: usize) -> String {
    let places: Vec<String> = (1..=count).map(|place| format!("${place}")).collect();
    places.join(", ")
}

/// A value in the database that cannot be read.
fn decode(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
