//! How connections are made and set up.

use std::sync::{Arc, Once};
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, Connection as _};

use super::error::is_damage;
use super::reach::Connections;
use super::{Database, DatabaseError, Kind, address};

/// How long a writer waits for the one before it.
const BUSY: Duration = Duration::from_secs(20);

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
        kind: Kind,
        usage: Use,
    ) -> Result<Self, DatabaseError> {
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
        let connections = pool.and_then(|pool| match kind {
            Kind::Sqlite => Ok(Connections::to_file(pool)),
            Kind::Postgres => Connections::to_server(pool, &address),
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
async fn try_once(address: &str, kind: Kind, usage: Use) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(address).await?;
    set_up(&mut connection, kind, usage).await?;
    connection.close().await
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
