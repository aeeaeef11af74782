//! The statements, one file per concept. Values are always bound, never written into a statement.

pub(crate) mod checkpoints;
pub mod downloads;
pub mod held;
pub mod namespaces;
pub mod owners;
pub mod skills;
pub mod tags;
pub mod tokens;
pub mod transfers;
pub(crate) mod upstream;
pub mod versions;

use jiff::Timestamp;

/// A time as it is stored: to the second, in UTC.
pub(crate) fn stored(time: Timestamp) -> String {
    let seconds = Timestamp::from_second(time.as_second());
    seconds.unwrap_or(time).to_string()
}

/// A value in the database that cannot be read.
fn decode(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
