//! Sessions in PostgreSQL, which several machines share.

use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions as _, Connection as _, Executor as _};

use super::Dialect;

/// The time between two questions whether a server that is starting has started.
const PAUSE: Duration = Duration::from_millis(100);

/// The state in which a server says that it is about to start.
const STARTING: &str = "57P03";

/// What is in use elsewhere is found by waiting for the other and looking again: a stricter
/// isolation would fail instead. A name has an order of bytes, so that its beginning is a range.
const SETTINGS: &str = "SET statement_timeout = '30s'; SET lock_timeout = '20s'; \
                        SET idle_in_transaction_session_timeout = '60s'; \
                        SET default_transaction_isolation = 'read committed';";

const SCHEMA: &str = r#"
    CREATE TABLE IF NOT EXISTS sessions (
        id TEXT COLLATE "C" PRIMARY KEY, agent TEXT, workspace TEXT NOT NULL,
        created TEXT NOT NULL, updated TEXT COLLATE "C" NOT NULL, title TEXT NOT NULL,
        messages BIGINT NOT NULL, prompt TEXT NOT NULL, state TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS sessions_in_order ON sessions (updated DESC, id);
    CREATE TABLE IF NOT EXISTS messages (
        session TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        place BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, place));
    CREATE TABLE IF NOT EXISTS leases (
        session TEXT COLLATE "C" PRIMARY KEY, holder TEXT NOT NULL, ends BIGINT NOT NULL);
"#;

/// One of many machines makes the tables, and the others wait for it. The number is our own.
const ONE_AT_A_TIME: &str = "SELECT pg_advisory_xact_lock(5425117022718133840)";

/// What JSON escapes as a zero byte, this database does not read at all. Another character stands
/// for it here; where a backslash is what is escaped, the text stays JSON too.
pub(super) const DIALECT: Dialect = Dialect {
    owner: r"(replace(state, '\u0000', '\u0001')::json ->> 'owner')",
    digests: r"SELECT skill.value ->> 'digest' FROM sessions,
            json_each(replace(prompt, '\u0000', '\u0001')::json -> 'installed') AS skill
        UNION SELECT skill.value ->> 'digest' FROM sessions,
            json_array_elements(replace(state, '\u0000', '\u0001')::json -> 'activated')
            AS skill (value)
        UNION SELECT edition.value FROM sessions,
            json_each(replace(state, '\u0000', '\u0001')::json -> 'editions') AS skill,
            json_array_elements_text(skill.value) AS edition (value)",
    published: r"SELECT mark.value FROM sessions,
            json_each_text(replace(prompt, '\u0000', '\u0001')::json -> 'published') AS mark
        UNION SELECT skill.value FROM sessions,
            json_array_elements_text(replace(prompt, '\u0000', '\u0001')::json -> 'skills')
            AS skill (value)
            WHERE replace(prompt, '\u0000', '\u0001')::json -> 'published' IS NULL
            AND skill.value LIKE '%:%'",
    now: "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)",
};

/// What of an address may be shown: host and database. Nothing, if it is none of PostgreSQL.
pub(super) fn place(address: &SecretString) -> Option<String> {
    let options: AnyConnectOptions = address.expose_secret().parse().ok()?;
    let url = &options.database_url;
    let is_ours = matches!(url.scheme(), "postgres" | "postgresql");
    is_ours.then(|| format!("{}{}", url.host_str().unwrap_or_default(), url.path()))
}

/// Connects, and makes the tables if need be.
pub(super) async fn connect(address: &SecretString) -> Result<AnyConnection, sqlx::Error> {
    let options: AnyConnectOptions = address.expose_secret().parse()?;
    let options = options.disable_statement_logging();
    let mut connection = loop {
        match options.connect().await {
            Err(error) if is_starting(&error) => tokio::time::sleep(PAUSE).await,
            done => break done?,
        }
    };
    sqlx::raw_sql(SETTINGS).execute(&mut connection).await?;
    // Whoever may only use the tables, and not make any, could not even say "if not exists".
    let is_made = "SELECT to_regclass('leases') IS NOT NULL";
    if !sqlx::query_scalar(is_made)
        .fetch_one(&mut connection)
        .await?
    {
        let mut work = connection.begin().await?;
        work.execute(ONE_AT_A_TIME).await?;
        sqlx::raw_sql(SCHEMA).execute(&mut *work).await?;
        work.commit().await?;
    }
    Ok(connection)
}

fn is_starting(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == STARTING)
}
