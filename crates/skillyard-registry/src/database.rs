//! The database: SQLite or PostgreSQL behind one set of statements.
//!
//! What differs between the two is in this module and nowhere else: how a connection is set up,
//! and which answers mean "try again".

mod address;
mod change;
mod connection;
mod error;
mod migration;
mod reach;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::{Any, Executor as _, Transaction};
use tokio::sync::Mutex;

pub(crate) use change::{Change, insist, lock_within};
use connection::Use;
pub use error::DatabaseError;
use migration::KNOWN;
pub use reach::Away;
use reach::Connections;

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backend {
    Sqlite,
    Postgres,
}

/// Connections to the database.
#[derive(Debug, Clone)]
pub struct Database {
    pool: Connections,
    kind: Backend,
    turn: Arc<Mutex<()>>,
}

impl Database {
    /// Opens a database by its address and brings it up to date.
    pub async fn open(address: &str) -> Result<Self, DatabaseError> {
        let database = Self::connect(address, address::kind(address)?, Use::Everything).await?;
        database.migrate().await?;
        Ok(database)
    }

    /// The file that an address leads to, if it is one of SQLite.
    pub fn file_of(address: &str) -> Option<PathBuf> {
        let kind = address::kind(address).ok()?;
        let place = address::place(address, kind);
        (kind == Backend::Sqlite).then(|| place.strip_prefix("//").unwrap_or(&place).into())
    }

    /// Opens the SQLite database in a file, whatever the file is called, and brings it up to date.
    pub async fn open_file(file: &Path) -> Result<Self, DatabaseError> {
        Self::open(&address::of_file(file)).await
    }

    /// Opens a file that is only read, which may be on a medium that cannot be written to.
    pub(crate) async fn open_copy(file: &Path) -> Result<Self, DatabaseError> {
        let mut beside = file.as_os_str().to_owned();
        beside.push("-wal");
        let has_more = std::fs::metadata(beside).is_ok_and(|left| left.len() > 0);
        if !has_more {
            let address = format!("{}?mode=ro&immutable=1", address::of_file(file));
            let database = Self::connect(&address, Backend::Sqlite, Use::Reading).await?;
            if database.step().await? == KNOWN {
                return Ok(database);
            }
            database.close().await;
        }
        // An older one is brought up to date, and what was left beside one belongs into it.
        Self::open_file(file).await
    }

    /// For reading.
    pub(crate) fn pool(&self) -> &Connections {
        &self.pool
    }

    /// A view of all rows as they are at one moment, however long they are read.
    pub(crate) async fn snapshot(&self) -> Result<Transaction<'static, Any>, DatabaseError> {
        let mut transaction = self.pool.begin().await?;
        // In SQLite a transaction that only reads is one already.
        if self.kind == Backend::Postgres {
            transaction
                .execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                .await?;
            // Reading all rows takes as long as their reader needs to process them.
            transaction
                .execute("SET LOCAL statement_timeout = 0")
                .await?;
        }
        Ok(transaction)
    }

    /// The number of the last change.
    pub(crate) async fn sequence(&self) -> Result<i64, DatabaseError> {
        let sequence = sqlx::query_scalar("SELECT sequence FROM state WHERE id = 1");
        Ok(sequence.fetch_one(&self.pool).await?)
    }

    /// Writes what is there already, which fails where nothing can be written.
    pub(crate) async fn touch(&self) -> Result<(), DatabaseError> {
        let mut change = self.begin().await?;
        sqlx::query("UPDATE state SET sequence = sequence WHERE id = 1")
            .execute(&mut *change)
            .await?;
        Ok(change.commit().await?)
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// Writes a copy of an SQLite database, whole at one moment, into a file that must not exist.
    pub async fn copy_to(&self, file: &str) -> Result<CopyOutcome, DatabaseError> {
        if self.kind == Backend::Postgres {
            return Ok(CopyOutcome::OtherTool);
        }
        sqlx::query("VACUUM INTO $1")
            .bind(file)
            .execute(&self.pool)
            .await?;
        Ok(CopyOutcome::Copied)
    }
}

/// Whether a copy was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOutcome {
    /// The file is there.
    Copied,
    /// This database has a tool of its own for it.
    OtherTool,
}
