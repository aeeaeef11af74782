//! The file behind the store: asynchronous below, blocking above.
//!
//! A runtime of one thread is hidden here, because a turn is a plain sequence and the server runs
//! it on a thread of its own.

use std::fs;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqliteConnection};

use super::SessionError;

const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, agent TEXT, workspace TEXT NOT NULL, created TEXT NOT NULL,
        updated TEXT NOT NULL, title TEXT NOT NULL, messages INTEGER NOT NULL,
        prompt TEXT NOT NULL, state TEXT NOT NULL)",
    // The order of lists, to the last column: nothing is sorted when they are read.
    "DROP INDEX IF EXISTS sessions_by_time",
    "CREATE INDEX IF NOT EXISTS sessions_in_order ON sessions (updated DESC, id)",
    "CREATE TABLE IF NOT EXISTS messages (
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, place INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (session, place)) WITHOUT ROWID",
];

/// One connection that is asked for one thing at a time.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    runtime: tokio::runtime::Runtime,
    connection: SqliteConnection,
}

impl Database {
    /// Opens the file, and makes it if need be, readable for its owner only.
    pub(super) fn open(path: &Path) -> Result<Self, SessionError> {
        let make = |source| SessionError::Make {
            path: path.to_owned(),
            source,
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(make)?;
        }
        let mut options = fs::OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        options.open(path).map_err(make)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(make)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(make)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10))
            .disable_statement_logging();
        let failed = |source| SessionError::Store {
            path: path.to_owned(),
            source,
        };
        let connection = runtime.block_on(async {
            let mut connection = options.connect().await?;
            for statement in SCHEMA {
                sqlx::query(*statement).execute(&mut connection).await?;
            }
            Ok(connection)
        });
        Ok(Self {
            path: path.to_owned(),
            open: Mutex::new(Open {
                connection: connection.map_err(failed)?,
                runtime,
            }),
        })
    }

    /// Does one thing with the connection.
    pub(super) fn with<T>(
        &self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, SessionError> {
        let mut open = match self.open.lock() {
            Ok(open) => open,
            // Whoever panicked left a transaction, which was rolled back.
            Err(poisoned) => poisoned.into_inner(),
        };
        let Open {
            runtime,
            connection,
        } = &mut *open;
        runtime
            .block_on(work(connection))
            .map_err(|source| SessionError::Store {
                path: self.path.clone(),
                source,
            })
    }
}
