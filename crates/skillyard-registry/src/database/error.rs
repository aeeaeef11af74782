//! Why the database gave no answer, and which answers of SQLite are its file's.

use std::time::Duration;

use super::reach::Away;

/// Why the database gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// An address that leads to no database.
    #[error("`{0}` is no address of a database: use `sqlite:PATH` or `postgres://…`")]
    Address(String),
    /// A database made by a later version.
    #[error("the database has step {found}, and this program knows only {known}")]
    TooNew {
        /// The step that the database is at.
        found: i64,
        /// The last known step.
        known: i64,
    },
    /// There is none, or what is there is no registry's.
    #[error("there is no registry in the database `{0}`")]
    Absent(String),
    /// The database cannot be used at all.
    #[error("cannot open the database `{place}`")]
    Open {
        /// Which, without a password.
        place: String,
        /// Why.
        source: sqlx::Error,
    },
    /// The server of the database does not answer.
    #[error("the database is away")]
    Away(#[source] Away),
    /// No answer came in time.
    #[error("the database did not answer within {0:?}")]
    Late(Duration),
    /// The database refused.
    #[error("the database refused")]
    Refused(#[source] sqlx::Error),
}

impl From<sqlx::Error> for DatabaseError {
    fn from(error: sqlx::Error) -> Self {
        let away = match &error {
            sqlx::Error::Io(error) => error.get_ref().and_then(|inner| inner.downcast_ref()),
            _ => None,
        };
        match away {
            Some(away) => Self::Away(Away::clone(away)),
            None => Self::Refused(error),
        }
    }
}

impl DatabaseError {
    /// Whether the database broke it off so that others could go on: it can be done again.
    pub(crate) fn is_passing(&self) -> bool {
        let Self::Refused(error) = self else {
            return false;
        };
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code);
        // A deadlock, or changes that do not follow one another.
        matches!(code.as_deref(), Some("40P01" | "40001"))
    }

    /// Whether SQLite could not read or write its file, as on a disk that is full.
    pub fn is_of_disk(&self) -> bool {
        match self {
            Self::Open { source, .. } | Self::Refused(source) => {
                matches!(sqlite_kind(source), Some(10 | 13))
            }
            Self::Address(_)
            | Self::Absent(_)
            | Self::TooNew { .. }
            | Self::Away(_)
            | Self::Late(_) => false,
        }
    }
}

/// Whether SQLite says that the file itself is the problem: it is read-only, damaged, not to be
/// opened or no database, or its disk is full, which is also an error of input and output.
pub(super) fn is_damage(error: &sqlx::Error) -> bool {
    matches!(sqlite_kind(error), Some(8 | 10 | 11 | 13 | 14 | 26))
}

/// The kind of what SQLite says went wrong.
fn sqlite_kind(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    // The lower byte is the kind, whatever else is known.
    Some(code.parse::<u32>().ok()? & 0xff)
}
