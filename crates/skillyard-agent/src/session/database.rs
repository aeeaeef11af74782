//! The database behind the store: a file of SQLite, or PostgreSQL where several machines share
//! their sessions. Asynchronous below, blocking above.
//!
//! The statements are the same for both. What differs is here and nowhere else: how a connection
//! is made and kept, the tables, and what is asked of JSON and of the clock.
//! A runtime of one thread is hidden here, because a turn is a plain sequence and the server runs
//! it on a thread of its own.

mod postgres;
mod sqlite;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use secrecy::SecretString;
use sqlx::{AnyConnection, Connection as _};

use super::SessionError;
use sqlite::SqliteAccess;

/// How long a server may take for one thing. Without an end, one that is cut off would hold up all
/// sessions.
const WORK: Duration = Duration::from_mins(1);
/// How long it may take until it is connected.
const CONNECTING: Duration = Duration::from_secs(15);
/// How long it may take to say that it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// One connection that is asked for one thing at a time.
#[derive(Debug)]
pub(super) struct Database {
    home: Home,
    open: Mutex<OpenConnection>,
}

/// Where the sessions are.
#[derive(Debug)]
enum Home {
    File {
        path: PathBuf,
        access: SqliteAccess,
    },
    Server {
        address: SecretString,
        /// What of the address may be shown.
        place: String,
    },
}

#[derive(Debug)]
struct OpenConnection {
    /// None after it was lost.
    connection: Option<AnyConnection>,
    runtime: tokio::runtime::Runtime,
}

/// What is asked of JSON and of the clock, in the words of one database.
#[derive(Debug)]
pub(super) struct Dialect {
    /// Whose a session is.
    pub(super) owner: &'static str,
    /// What all skills consist of that sessions name.
    pub(super) digests: &'static str,
    /// What servers had listed of the skills that they publish, by marks; of older sessions, which
    /// know no marks, the names of these skills.
    pub(super) published: &'static str,
    /// The time, in seconds.
    pub(super) now: &'static str,
}

impl Database {
    /// Opens the file, and makes it if need be, readable for its owner only.
    pub(super) fn open(path: &Path) -> Result<Self, SessionError> {
        sqlite::make(path).map_err(|source| SessionError::Make {
            path: path.to_owned(),
            source,
        })?;
        Self::file(path, SqliteAccess::Write)
    }

    /// Opens the file; to read it only, where nothing can be written beside it. One that is not there
    /// is not made: there are no sessions.
    pub(super) fn open_to_read(path: &Path) -> Result<Self, SessionError> {
        if let Ok(false) = path.try_exists() {
            return Self::file(path, SqliteAccess::Nothing);
        }
        Self::open(path).or_else(|error| {
            let read = Self::file(path, SqliteAccess::Read);
            read.or_else(|_| Self::file(path, SqliteAccess::Still))
                .map_err(|_| error)
        })
    }

    fn file(path: &Path, access: SqliteAccess) -> Result<Self, SessionError> {
        Self::at(Home::File {
            path: path.to_owned(),
            access,
        })
    }

    /// Connects to PostgreSQL, and makes the tables if need be.
    pub(super) fn connect(address: &SecretString) -> Result<Self, SessionError> {
        Self::at(Home::Server {
            place: postgres::place(address).ok_or(SessionError::Address)?,
            address: address.clone(),
        })
    }

    fn at(home: Home) -> Result<Self, SessionError> {
        sqlx::any::install_default_drivers();
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build();
        let runtime = runtime.map_err(|source| home.failed(source.into()))?;
        let connection = runtime.block_on(home.connect());
        Ok(Self {
            open: Mutex::new(OpenConnection {
                connection: Some(connection.map_err(|source| home.failed(source))?),
                runtime,
            }),
            home,
        })
    }

    /// What is asked of JSON and of the clock here.
    pub(super) fn dialect(&self) -> &'static Dialect {
        match self.home {
            Home::File { .. } => &sqlite::DIALECT,
            Home::Server { .. } => &postgres::DIALECT,
        }
    }

    /// Does one thing with the connection, or with another one, if it was lost.
    pub(super) fn with<T>(
        &self,
        work: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, SessionError> {
        let mut open = self.open.lock();
        let OpenConnection {
            connection,
            runtime,
        } = &mut *open;
        let done = runtime.block_on(async {
            let mut usable = self.home.usable(connection.take()).await?;
            let done = self.home.in_time(WORK, work(&mut usable)).await;
            if !done.as_ref().is_err_and(is_lost) {
                *connection = Some(usable);
            }
            done
        });
        done.map_err(|source| self.home.failed(source))
    }
}

impl Drop for Database {
    /// What was said last is in the file itself then, and not only beside it.
    fn drop(&mut self) {
        let open = self.open.get_mut();
        if let Home::File { .. } = self.home
            && let Some(connection) = open.connection.take()
            // Nobody can be waited for in a runtime.
            && tokio::runtime::Handle::try_current().is_err()
        {
            let _ = open.runtime.block_on(connection.close());
        }
    }
}

impl Home {
    async fn connect(&self) -> Result<AnyConnection, sqlx::Error> {
        match self {
            Self::File { path, access } => sqlite::connect(path, *access).await,
            Self::Server { address, .. } => {
                self.in_time(CONNECTING, postgres::connect(address)).await
            }
        }
    }

    /// The connection, if it still is one, or another.
    async fn usable(&self, last: Option<AnyConnection>) -> Result<AnyConnection, sqlx::Error> {
        match (self, last) {
            (Self::File { .. }, Some(last)) => Ok(last),
            (Self::Server { .. }, Some(mut last)) => {
                // A server that was started again is noticed before anything is lost by it.
                let alive = tokio::time::timeout(SIGN_OF_LIFE, last.ping()).await;
                match alive {
                    Ok(Ok(())) => Ok(last),
                    _ => self.connect().await,
                }
            }
            (_, None) => self.connect().await,
        }
    }

    async fn in_time<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        match self {
            Self::File { .. } => work.await,
            Self::Server { .. } => match tokio::time::timeout(limit, work).await {
                Ok(done) => done,
                Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
            },
        }
    }

    fn failed(&self, source: sqlx::Error) -> SessionError {
        match self {
            Self::File { path, .. } => SessionError::Store {
                path: path.clone(),
                source,
            },
            Self::Server { place, .. } => SessionError::Server {
                place: place.clone(),
                source,
            },
        }
    }
}

/// Whether the connection is of no use after this; otherwise the database has answered.
fn is_lost(error: &sqlx::Error) -> bool {
    !matches!(
        error,
        sqlx::Error::Database(_) | sqlx::Error::RowNotFound | sqlx::Error::ColumnDecode { .. }
    )
}
