//! The steps from an empty database to the present one.

use sqlx::Executor as _;

use super::{Database, DatabaseError};

/// The steps from an empty database to the present one; steps are added, never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_start.sql"),
    include_str!("../migrations/0002_namespaces.sql"),
    include_str!("../migrations/0003_listing.sql"),
    include_str!("../migrations/0004_popular.sql"),
    include_str!("../migrations/0005_arrivals.sql"),
    include_str!("../migrations/0006_token_parents.sql"),
    include_str!("../migrations/0007_logins.sql"),
];

/// The number of the last step.
#[expect(clippy::cast_possible_wrap, reason = "there are a handful")]
pub(super) const KNOWN: i64 = MIGRATIONS.len() as i64;

impl Database {
    /// The last step that was made of a database.
    pub(super) async fn step(&self) -> Result<i64, DatabaseError> {
        let step = sqlx::query_scalar("SELECT COALESCE(MAX(step), 0) FROM migrations");
        Ok(step.fetch_one(&self.pool).await?)
    }

    /// Brings a database up to date.
    pub(super) async fn migrate(&self) -> Result<(), DatabaseError> {
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
