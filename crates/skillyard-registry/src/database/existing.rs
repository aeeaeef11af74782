//! Opening a database that has to be there: who only looks at a registry, or tidies it up, must
//! not take one that was just made for the one that was meant.

use std::path::Path;
use std::str::FromStr as _;

use sqlx::sqlite::SqliteConnectOptions;

use super::{Database, DatabaseError, Kind, Use, address};

impl Database {
    /// Opens the database of a registry that is there, and brings it up to date; makes none.
    pub async fn open_existing(address: &str) -> Result<Self, DatabaseError> {
        let kind = address::kind(address)?;
        let absent = || DatabaseError::Absent(address::place(address, kind));
        if kind == Kind::Sqlite && !has_file(address)? {
            return Err(absent());
        }
        // Not a byte of a file is written before it is known to be a registry's.
        let only_there = match kind {
            Kind::Sqlite if !address.contains('?') => format!("{address}?mode=rw"),
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
            Kind::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE name = 'migrations'",
            Kind::Postgres => "SELECT COUNT(to_regclass('migrations'))",
        };
        let tables: i64 = sqlx::query_scalar(table).fetch_one(self.pool()).await?;
        Ok(tables > 0 && self.step().await? > 0)
    }
}

fn has_file(address: &str) -> Result<bool, DatabaseError> {
    let options = SqliteConnectOptions::from_str(address);
    let options = options.map_err(|source| DatabaseError::Open {
        place: address::place(address, Kind::Sqlite),
        source,
    })?;
    Ok(options.get_filename().exists())
}
