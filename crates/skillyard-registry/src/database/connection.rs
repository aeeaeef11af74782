//! Opens databases and sets up their connections.

use std::path::Path;
use std::str::FromStr as _;
use std::sync::{Arc, Once};
use std::time::Duration;

use sqlx::AnyConnection;
use sqlx::Connection as _;
use sqlx::any::AnyPoolOptions;
use sqlx::sqlite::SqliteConnectOptions;

use super::error::is_damage;
use super::reach::Connections;
use super::{Backend, Database, DatabaseError, address};

/// How long a writer waits for the one before it.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(20);

static DRIVERS: Once = Once::new();

/// What is done with a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Everything,
    /// Nothing is written.
    Reading,
}

impl Database {
    /// Connects to a database, whatever step it is at.
    pub(super) async fn connect(
        address: &str,
        kind: Backend,
        usage: Use,
    ) -> Result<Self, DatabaseError> {
        DRIVERS.call_once(sqlx::any::install_default_drivers);
        let options = AnyPoolOptions::new()
            .max_connections(match kind {
                // Each takes a thread and memory, and readers wait for the processor, not for one another.
                Backend::Sqlite => 4,
                Backend::Postgres => 16,
            })
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_connect(move |connection, _| Box::pin(set_up(connection, kind, usage)));
        let address = match kind {
            Backend::Sqlite if !address.contains('?') => format!("{address}?mode=rwc"),
            _ => address.to_owned(),
        };
        let pool = match kind {
            // Waiting does not repair a file.
            Backend::Sqlite => match try_once(&address, kind, usage).await {
                Err(error) if is_damage(&error) => Err(error),
                _ => options.connect(&address).await,
            },
            // A server may just be starting.
            Backend::Postgres => match options.connect(&address).await {
                Err(sqlx::Error::PoolTimedOut) => {
                    let reason = try_once(&address, kind, usage).await;
                    Err(reason.err().unwrap_or(sqlx::Error::PoolTimedOut))
                }
                answer => answer,
            },
        };
        let connections = pool.and_then(|pool| match kind {
            Backend::Sqlite => Ok(Connections::to_file(pool)),
            Backend::Postgres => Connections::to_server(pool, &address),
        });
        let pool = connections.map_err(|source| DatabaseError::Open {
            place: address::place(&address, kind),
            source,
        })?;
        Ok(Self {
            pool,
            kind,
            turn: Arc::default(),
        })
    }
}

/// Connects without the pool, which tries again until its time is over and then says only that.
async fn try_once(address: &str, kind: Backend, usage: Use) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(address).await?;
    set_up(&mut connection, kind, usage).await?;
    connection.close().await
}

async fn set_up(
    connection: &mut AnyConnection,
    kind: Backend,
    usage: Use,
) -> Result<(), sqlx::Error> {
    match kind {
        Backend::Sqlite if usage == Use::Reading => {}
        Backend::Sqlite => {
            // What was acknowledged survives a power failure: FULL, although WAL would allow less.
            // Half a megabyte of pages for each connection: the system keeps the file in memory, too.
            let settings = "PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL; \
                            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                            PRAGMA cache_size = -512;";
            sqlx::raw_sql(settings).execute(connection).await?;
        }
        Backend::Postgres => {
            let settings = "SET statement_timeout = '30s'; SET lock_timeout = '20s';";
            sqlx::raw_sql(settings).execute(connection).await?;
        }
    }
    Ok(())
}

impl Database {
    /// Opens the database of a registry that is there, and brings it up to date; makes none.
    pub async fn open_existing(address: &str) -> Result<Self, DatabaseError> {
        let kind = address::kind(address)?;
        let absent = || DatabaseError::Absent(address::place(address, kind));
        if kind == Backend::Sqlite && !has_file(address)? {
            return Err(absent());
        }
        // Not a byte of a file is written before it is known to be a registry's.
        let only_there = match kind {
            Backend::Sqlite if !address.contains('?') => format!("{address}?mode=rw"),
            _ => address.to_owned(),
        };
        let found = Self::connect(&only_there, kind, Use::Reading).await?;
        let is_registry = found.has_steps().await;
        found.close().await;
        let is_registry = is_registry.map_err(|error| match error {
            // The first look at a file tells whether it is a database at all.
            DatabaseError::Refused(source) => DatabaseError::Open {
                place: address::place(address, kind),
                source,
            },
            other => other,
        });
        if is_registry? {
            Self::open(address).await
        } else {
            Err(absent())
        }
    }

    /// Opens the SQLite database of a registry in a file that is there; makes none.
    pub async fn open_existing_file(file: &Path) -> Result<Self, DatabaseError> {
        Self::open_existing(&address::of_file(file)).await
    }

    /// Whether any step was made of it.
    async fn has_steps(&self) -> Result<bool, DatabaseError> {
        let table = match self.kind {
            Backend::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE name = 'migrations'",
            Backend::Postgres => "SELECT COUNT(to_regclass('migrations'))",
        };
        let tables: i64 = sqlx::query_scalar(table).fetch_one(self.pool()).await?;
        Ok(tables > 0 && self.step().await? > 0)
    }
}

fn has_file(address: &str) -> Result<bool, DatabaseError> {
    let options = SqliteConnectOptions::from_str(address);
    let options = options.map_err(|source| DatabaseError::Open {
        place: address::place(address, Backend::Sqlite),
        source,
    })?;
    Ok(options.get_filename().exists())
}
