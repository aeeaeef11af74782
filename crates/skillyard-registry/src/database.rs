//! The database: SQLite or PostgreSQL behind one set of statements.
//!
//! What differs between the two is here and nowhere else: how a connection is set up, and which
//! answers mean "try again".

mod address;
mod existing;

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyConnection, AnyPool, Connection as _, Executor as _, Transaction};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The steps from an empty database to the present one; steps are added, never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_namespaces.sql"),
    include_str!("migrations/0003_listing.sql"),
    include_str!("migrations/0004_popular.sql"),
    include_str!("migrations/0005_arrivals.sql"),
    include_str!("migrations/0006_token_parents.sql"),
];

/// The number of the last step.
#[expect(clippy::cast_possible_wrap, reason = "there are a handful")]
const KNOWN: i64 = MIGRATIONS.len() as i64;

/// How often something is tried that the database breaks off so that others can go on.
const ATTEMPTS: u32 = 4;

/// How long a writer waits for the one before it.
const BUSY: Duration = Duration::from_secs(20);

static DRIVERS: Once = Once::new();

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
    /// The database refused.
    #[error("the database refused")]
    Refused(#[from] sqlx::Error),
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
            Self::Address(_) | Self::Absent(_) | Self::TooNew { .. } => false,
        }
    }
}

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sqlite,
    Postgres,
}

/// What is done with a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Everything,
    /// Nothing is written.
    Reading,
}

/// Connections to the database.
#[derive(Debug, Clone)]
pub struct Database {
    pool: AnyPool,
    kind: Kind,
    turn: Arc<Mutex<()>>,
}

/// A change that is not committed yet; dropping it takes everything back.
pub(crate) struct Change {
    transaction: Transaction<'static, Any>,
    /// Held until the change is over.
    _turn: Option<OwnedMutexGuard<()>>,
}

impl Change {
    /// Makes the change last.
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        self.transaction.commit().await
    }

    /// Takes the change back.
    pub(crate) async fn rollback(self) -> Result<(), sqlx::Error> {
        self.transaction.rollback().await
    }
}

impl Deref for Change {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.transaction
    }
}

impl DerefMut for Change {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }
}

impl Database {
    /// Opens a database by its address and brings it up to date.
    pub async fn open(address: &str) -> Result<Self, DatabaseError> {
        let database = Self::connect(address, address::kind(address)?, Use::Everything).await?;
        database.migrate().await?;
        Ok(database)
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
            let database = Self::connect(&address, Kind::Sqlite, Use::Reading).await?;
            if database.step().await? == KNOWN {
                return Ok(database);
            }
            database.close().await;
        }
        // An older one is brought up to date, and what was left beside one belongs into it.
        Self::open_file(file).await
    }

    async fn connect(address: &str, kind: Kind, usage: Use) -> Result<Self, DatabaseError> {
        DRIVERS.call_once(sqlx::any::install_default_drivers);
        let options = AnyPoolOptions::new()
            .max_connections(match kind {
                // Each takes a thread and memory, and readers wait for the processor, not for one another.
                Kind::Sqlite => 4,
                Kind::Postgres => 16,
            })
            .acquire_timeout(BUSY)
            .after_connect(move |connection, _| Box::pin(set_up(connection, kind, usage)));
        let address = match kind {
            Kind::Sqlite if !address.contains('?') => format!("{address}?mode=rwc"),
            _ => address.to_owned(),
        };
        let pool = match kind {
            // A file does not mend itself while one waits.
            Kind::Sqlite => match try_once(&address, kind, usage).await {
                Err(error) if is_damage(&error) => Err(error),
                _ => options.connect(&address).await,
            },
            // A server may just be starting.
            Kind::Postgres => match options.connect(&address).await {
                Err(sqlx::Error::PoolTimedOut) => {
                    let reason = try_once(&address, kind, usage).await;
                    Err(reason.err().unwrap_or(sqlx::Error::PoolTimedOut))
                }
                answer => answer,
            },
        };
        let pool = pool.map_err(|source| DatabaseError::Open {
            place: address::place(&address, kind),
            source,
        })?;
        Ok(Self {
            pool,
            kind,
            turn: Arc::default(),
        })
    }

    /// The last step that was made of a database.
    async fn step(&self) -> Result<i64, DatabaseError> {
        let step = sqlx::query_scalar("SELECT COALESCE(MAX(step), 0) FROM migrations");
        Ok(step.fetch_one(&self.pool).await?)
    }

    /// For reading.
    pub(crate) fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// Begins a change and returns its number. Changes follow one another, over all nodes.
    pub(crate) async fn change(&self) -> Result<(Change, i64), DatabaseError> {
        self.changes(1).await
    }

    /// Begins so many changes that are made at once; returns the number of the last of them.
    pub(crate) async fn changes(&self, count: i64) -> Result<(Change, i64), DatabaseError> {
        let mut change = self.begin().await?;
        let sequence = sqlx::query_scalar(
            "UPDATE state SET sequence = sequence + $1 WHERE id = 1 RETURNING sequence",
        )
        .bind(count)
        .fetch_one(&mut *change)
        .await?;
        Ok((change, sequence))
    }

    /// Begins to write what is no change to any skill.
    pub(crate) async fn begin(&self) -> Result<Change, DatabaseError> {
        // SQLite lets one write and the others sleep and try again, for up to a tenth of a second
        // each time. In a queue of our own the next one goes on at once.
        let turn = match self.kind {
            Kind::Sqlite => Some(Arc::clone(&self.turn).lock_owned().await),
            Kind::Postgres => None,
        };
        Ok(Change {
            transaction: self.pool.begin().await?,
            _turn: turn,
        })
    }

    /// A view of all rows as they are at one moment, however long they are read.
    pub(crate) async fn snapshot(&self) -> Result<Transaction<'static, Any>, DatabaseError> {
        let mut transaction = self.pool.begin().await?;
        // In SQLite a transaction that only reads is one already.
        if self.kind == Kind::Postgres {
            transaction
                .execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                .await?;
            // Whoever reads all rows takes them as fast as it can do something with them.
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

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// Writes a copy of an SQLite database, whole at one moment, into a file that must not exist.
    pub async fn copy_to(&self, file: &str) -> Result<CopyOutcome, DatabaseError> {
        if self.kind == Kind::Postgres {
            return Ok(CopyOutcome::OtherTool);
        }
        sqlx::query("VACUUM INTO $1")
            .bind(file)
            .execute(&self.pool)
            .await?;
        Ok(CopyOutcome::Copied)
    }

    async fn migrate(&self) -> Result<(), DatabaseError> {
        let mut attempts = 0;
        loop {
            match self.migrate_once().await {
                // Two nodes that start at once both create; the second finds it done.
                Err(DatabaseError::Refused(sqlx::Error::Database(_))) if attempts < 3 => {
                    attempts += 1;
                }
                result => return result,
            }
        }
    }

    async fn migrate_once(&self) -> Result<(), DatabaseError> {
        let mut transaction = self.pool.begin().await?;
        transaction
            .execute("CREATE TABLE IF NOT EXISTS migrations (step BIGINT PRIMARY KEY)")
            .await?;
        let done: i64 = sqlx::query_scalar("SELECT COALESCE(MAX(step), 0) FROM migrations")
            .fetch_one(&mut *transaction)
            .await?;
        if done > KNOWN {
            return Err(DatabaseError::TooNew {
                found: done,
                known: KNOWN,
            });
        }
        for (step, text) in (1_i64..).zip(MIGRATIONS.iter().copied()) {
            if step <= done {
                continue;
            }
            sqlx::raw_sql(text).execute(&mut *transaction).await?;
            sqlx::query("INSERT INTO migrations (step) VALUES ($1)")
                .bind(step)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// Does something again that was broken off so that others could go on.
pub(crate) async fn insist<T, E, F: Future<Output = Result<T, E>>>(
    is_passing: impl Fn(&E) -> bool,
    attempt: impl Fn() -> F,
) -> Result<T, E> {
    for _ in 1..ATTEMPTS {
        match attempt().await {
            Err(error) if is_passing(&error) => {}
            result => return result,
        }
    }
    attempt().await
}

/// Locks the rows of skills of a namespace until the change is over, in the order of their names as
/// bytes, as whoever counts downloads does: in other orders two would wait for each other.
pub(crate) async fn lock_within(
    connection: &mut AnyConnection,
    namespace: &str,
) -> Result<(), sqlx::Error> {
    // In SQLite there is one writer, who has locked everything.
    if connection.backend_name() != "PostgreSQL" {
        return Ok(());
    }
    sqlx::query(
        "SELECT name FROM skills WHERE namespace = $1 \
         ORDER BY name COLLATE \"C\" FOR NO KEY UPDATE",
    )
    .bind(namespace)
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether a copy was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOutcome {
    /// The file is there.
    Copied,
    /// This database has a tool of its own for it.
    OtherTool,
}

/// Connects without the pool, which tries again until its time is over and then says only that.
async fn try_once(address: &str, kind: Kind, usage: Use) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(address).await?;
    set_up(&mut connection, kind, usage).await?;
    connection.close().await
}

/// Whether SQLite says that the file itself is the problem: it is read-only, damaged, not to be
/// opened or no database, or its disk is full, which is also an error of input and output.
fn is_damage(error: &sqlx::Error) -> bool {
    matches!(sqlite_kind(error), Some(8 | 10 | 11 | 13 | 14 | 26))
}

/// The kind of what SQLite says went wrong.
fn sqlite_kind(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    // The lower byte is the kind, whatever else is known.
    Some(code.parse::<u32>().ok()? & 0xff)
}

async fn set_up(connection: &mut AnyConnection, kind: Kind, usage: Use) -> Result<(), sqlx::Error> {
    match kind {
        Kind::Sqlite if usage == Use::Reading => {}
        Kind::Sqlite => {
            // What was acknowledged survives a power failure: FULL, although WAL would allow less.
            // Half a megabyte of pages for each connection: the system keeps the file in memory, too.
            let settings = "PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL; \
                            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                            PRAGMA cache_size = -512;";
            sqlx::raw_sql(settings).execute(connection).await?;
        }
        Kind::Postgres => {
            let settings = "SET statement_timeout = '30s'; SET lock_timeout = '20s';";
            sqlx::raw_sql(settings).execute(connection).await?;
        }
    }
    Ok(())
}
