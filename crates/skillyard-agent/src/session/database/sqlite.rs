//! Sessions in a file of SQLite.

use std::fmt::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::{fs, io};

use skillyard_catalog::private_dir;
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions as _};

use super::Dialect;

const SETTINGS: &str = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; \
                        PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;";

const FIRST: &str = "SELECT id FROM sessions LIMIT 1";

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
    "CREATE TABLE IF NOT EXISTS leases (
        session TEXT PRIMARY KEY, holder TEXT NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID",
];

pub(super) const DIALECT: Dialect = Dialect {
    owner: "json_extract(state, '$.owner')",
    digests: "SELECT json_extract(skill.value, '$.digest')
            FROM sessions, json_each(sessions.prompt, '$.installed') AS skill
        UNION SELECT json_extract(skill.value, '$.digest')
            FROM sessions, json_each(sessions.state, '$.activated') AS skill
        UNION SELECT edition.value FROM sessions,
            json_each(sessions.state, '$.editions') AS skill, json_each(skill.value) AS edition",
    published: "SELECT mark.value FROM sessions, json_each(sessions.prompt, '$.published') AS mark
        UNION SELECT skill.value
            FROM sessions, json_each(sessions.prompt, '$.skills') AS skill
            WHERE json_extract(sessions.prompt, '$.published') IS NULL
            AND skill.value LIKE '%:%'",
    now: "CAST(strftime('%s', 'now') AS INTEGER)",
};

/// Makes the file if need be, readable for its owner only.
pub(super) fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private_dir::create(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    options.open(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

/// What is done with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqliteAccess {
    /// All.
    Write,
    /// It is read, and others may write meanwhile, with whom it is settled in files beside it.
    Read,
    /// It is read where nobody can write, not even those files: the disk is full, or may not be
    /// written to.
    Still,
    /// There is none, and nothing but that is read.
    Nothing,
}

/// Opens the file, and makes the tables if need be.
pub(super) async fn connect(
    path: &Path,
    access: SqliteAccess,
) -> Result<AnyConnection, sqlx::Error> {
    let address = match access {
        SqliteAccess::Write => address(path)?,
        SqliteAccess::Read => address(path)? + "?mode=ro",
        SqliteAccess::Still if has_more(path) => {
            return Err(io::Error::other("what was written last is not in it yet").into());
        }
        SqliteAccess::Still => address(path)? + "?mode=ro&immutable=true",
        SqliteAccess::Nothing => "sqlite::memory:".into(),
    };
    let options: AnyConnectOptions = address.parse()?;
    let mut connection = options.disable_statement_logging().connect().await?;
    if matches!(access, SqliteAccess::Read | SqliteAccess::Still) {
        // It is opened only by the first question.
        sqlx::query(FIRST).execute(&mut connection).await?;
        return Ok(connection);
    }
    sqlx::raw_sql(SETTINGS).execute(&mut connection).await?;
    for statement in SCHEMA {
        sqlx::query(*statement).execute(&mut connection).await?;
    }
    Ok(connection)
}

/// Whether a process that was ended has left something beside the file that belongs into it.
fn has_more(path: &Path) -> bool {
    let mut beside = path.as_os_str().to_owned();
    beside.push("-wal");
    fs::metadata(beside).is_ok_and(|left| left.len() > 0)
}

/// The file as an address, in which no character of its path has a meaning.
fn address(path: &Path) -> io::Result<String> {
    let path = path.canonicalize()?;
    let mut address = String::from("sqlite://");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            address.push(char::from(*byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    Ok(address)
}
