//! What can go wrong with stored sessions.

use std::path::PathBuf;

/// What can go wrong with stored sessions.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The store cannot be used.
    #[error("cannot use the sessions in `{}`", path.display())]
    Store {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: sqlx::Error,
    },
    /// The database that several machines share cannot be used.
    #[error("cannot use the sessions in the database `{place}`")]
    Server {
        /// Its host and name, without user and password.
        place: String,
        /// Why.
        source: sqlx::Error,
    },
    /// An address that leads to no database of sessions.
    #[error("sessions can be in PostgreSQL, and this is no address such as `postgres://HOST/NAME`")]
    Address,
    /// The store cannot be made.
    #[error("cannot make `{}`", path.display())]
    Make {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What is stored is not understood.
    #[error("session `{id}` cannot be understood")]
    Damaged {
        /// The session.
        id: String,
        /// Why.
        source: serde_json::Error,
    },
    /// There is no such session.
    #[error("there is no session `{0}`")]
    Unknown(String),
    /// Several sessions begin so.
    #[error("{count} sessions begin with `{prefix}`")]
    Ambiguous {
        /// What was given.
        prefix: String,
        /// How many.
        count: usize,
    },
    /// Somebody else went on with the session.
    #[error("session `{0}` is in use elsewhere")]
    InUse(String),
    /// The system has no random numbers.
    #[error("the system gives no random numbers")]
    NoRandomness,
}
