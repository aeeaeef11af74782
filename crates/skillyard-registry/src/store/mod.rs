//! The statements, one file per concept. Values are always bound, never written into a statement.

pub mod downloads;
pub mod owners;
pub mod skills;
pub mod tokens;
pub mod versions;

use jiff::Timestamp;

/// A time as it is stored: to the second, in UTC.
pub(crate) fn stored(time: Timestamp) -> String {
    let seconds = Timestamp::from_second(time.as_second());
    seconds.unwrap_or(time).to_string()
}
