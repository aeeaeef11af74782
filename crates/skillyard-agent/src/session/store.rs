//! Sessions that last: in a file, or in a database that several machines share.
//!
//! Every message has its place as a key, so two programs that go on with one session cannot both
//! succeed.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use jiff::Timestamp;
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use skillyard_format::Digest;
use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use super::database::Database;
use super::save::Forgotten;
use super::{Session, SessionError};

/// Sessions that last.
#[derive(Debug)]
pub struct SessionStore {
    pub(super) database: Database,
    pub(super) forgotten: Forgotten,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionSummary {
    /// Its name.
    pub id: String,
    /// The agent, as `name@version`.
    pub agent: Option<String>,
    /// The folder that tools work in.
    pub workspace: String,
    /// When it began.
    pub created: String,
    /// When it was last used.
    pub updated: String,
    /// How it began.
    pub title: String,
    /// How many messages it has.
    pub messages: i64,
    /// Whose it is; the user's own without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

impl SessionSummary {
    /// Its place in the list.
    pub fn place(&self) -> SessionCursor {
        SessionCursor {
            updated: self.updated.clone(),
            id: self.id.clone(),
        }
    }
}

/// Whose sessions are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner<'a> {
    /// Everybody's.
    Any,
    /// Those of this one.
    Only(&'a str),
}

impl SessionStore {
    /// Opens the store, and makes it if need be, readable for its owner only.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        Ok(Self {
            database: Database::open(path)?,
            forgotten: Forgotten::default(),
        })
    }

    /// Opens the store to read it, where need be also on a disk that is full or may not be written to.
    pub fn open_to_read(path: &Path) -> Result<Self, SessionError> {
        Ok(Self {
            database: Database::open_to_read(path)?,
            forgotten: Forgotten::default(),
        })
    }

    /// Connects to the sessions in PostgreSQL at `postgres://…`, and makes the tables if need be.
    pub fn connect(address: &SecretString) -> Result<Self, SessionError> {
        Ok(Self {
            database: Database::connect(address)?,
            forgotten: Forgotten::default(),
        })
    }

    /// The session of a name, or of the only one that begins so; `last` is the last that was used.
    pub fn load(&self, name: &str) -> Result<Session, SessionError> {
        let id = self.resolve(name)?;
        let (row, bodies) = self.database.with(async |connection: &mut AnyConnection| {
            let row = sqlx::query(
                "SELECT agent, workspace, created, messages, prompt, state FROM sessions
                     WHERE id = $1",
            )
            .bind(&id)
            .fetch_one(&mut *connection)
            .await?;
            // Those that the state knows of; somebody may go on with it right now.
            let bodies = sqlx::query_scalar::<_, String>(
                "SELECT body FROM messages WHERE session = $1 AND place < $2 ORDER BY place",
            )
            .bind(&id)
            .bind(row.get::<i64, _>("messages"))
            .fetch_all(&mut *connection)
            .await?;
            Ok((row, bodies))
        })?;
        let mut messages = Vec::with_capacity(bodies.len());
        for body in &bodies {
            messages.push(parsed(&id, body)?);
        }
        let agent: Option<String> = row.get("agent");
        let agent = agent.and_then(|agent| {
            let (name, version) = agent.rsplit_once('@')?;
            Some(super::AgentVersion {
                name: name.to_owned(),
                version: version.parse().ok()?,
            })
        });
        let created: String = row.get("created");
        Ok(Session {
            agent,
            workspace: row.get("workspace"),
            created: created.parse().unwrap_or(Timestamp::UNIX_EPOCH),
            prompt: parsed(&id, row.get("prompt"))?,
            state: parsed(&id, row.get("state"))?,
            kept: messages.len(),
            handed_over: false,
            stored: true,
            messages,
            id,
        })
    }

    /// What the installed skills consisted of that sessions were told of, or that they loaded.
    pub fn digests(&self) -> Result<BTreeSet<Digest>, SessionError> {
        let found = self.database.with(async |connection: &mut AnyConnection| {
            sqlx::query_scalar::<_, String>(self.database.dialect().digests)
                .fetch_all(&mut *connection)
                .await
        })?;
        Ok(found.iter().filter_map(|text| text.parse().ok()).collect())
    }

    /// What sessions were told of skills that servers publish: the marks of what was listed, and of
    /// older sessions the names.
    pub fn published(&self) -> Result<BTreeSet<String>, SessionError> {
        let found = self.database.with(async |connection: &mut AnyConnection| {
            sqlx::query_scalar::<_, String>(self.database.dialect().published)
                .fetch_all(&mut *connection)
                .await
        })?;
        Ok(found.into_iter().collect())
    }

    /// The sessions, those first that were used last.
    pub fn list(&self, limit: usize) -> Result<Vec<SessionSummary>, SessionError> {
        self.list_of(Owner::Any, None, limit)
    }

    /// The sessions of somebody, those first that were used last; all of them, or those behind a place.
    pub fn list_of(
        &self,
        owner: Owner<'_>,
        behind: Option<&SessionCursor>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, SessionError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let wanted = match owner {
            Owner::Any => None,
            Owner::Only(owner) => Some(owner),
        };
        let owner_of = self.database.dialect().owner;
        let statement = format!(
            "SELECT id, agent, workspace, created, updated, title, messages, {owner_of} AS owner
             FROM sessions WHERE ($2 IS NULL OR {owner_of} = $2)
             AND ($3 IS NULL OR updated < $3 OR (updated = $3 AND id > $4))
             ORDER BY updated DESC, id LIMIT $1"
        );
        let rows = self.database.with(async |connection: &mut AnyConnection| {
            // All of it stands in this program.
            sqlx::query(AssertSqlSafe(statement))
                .bind(limit)
                .bind(wanted)
                .bind(behind.map(|place| place.updated.as_str()))
                .bind(behind.map(|place| place.id.as_str()))
                .fetch_all(connection)
                .await
        })?;
        let summaries = rows.iter().map(|row| SessionSummary {
            id: row.get("id"),
            agent: row.get("agent"),
            workspace: row.get("workspace"),
            created: row.get("created"),
            updated: row.get("updated"),
            title: row.get("title"),
            messages: row.get("messages"),
            owner: row.get("owner"),
        });
        Ok(summaries.collect())
    }

    /// How many messages the session of exactly this name has; nothing when there is none.
    pub fn length(&self, id: &str) -> Result<Option<usize>, SessionError> {
        if is_no_name(id) {
            return Ok(None);
        }
        let found: Option<i64> = self.database.with(async |connection: &mut AnyConnection| {
            sqlx::query_scalar("SELECT messages FROM sessions WHERE id = $1")
                .bind(id)
                .fetch_optional(connection)
                .await
        })?;
        Ok(found.map(|count| usize::try_from(count).unwrap_or_default()))
    }

    /// Forgets a session.
    pub fn delete(&self, name: &str) -> Result<String, SessionError> {
        let id = self.resolve(name)?;
        self.forget(&id)?;
        Ok(id)
    }

    fn resolve(&self, name: &str) -> Result<String, SessionError> {
        if is_no_name(name) {
            return Err(SessionError::Unknown(name.to_owned()));
        }
        let mut found: Vec<String> =
            self.database.with(async |connection: &mut AnyConnection| {
                let query = if name == "last" {
                    sqlx::query_scalar("SELECT id FROM sessions ORDER BY updated DESC, id LIMIT 1")
                } else {
                    // A range of keys: no character of the name has a meaning.
                    sqlx::query_scalar(
                        "SELECT id FROM sessions WHERE id >= $1 AND id < $2 LIMIT 20",
                    )
                    .bind(name)
                    .bind(format!("{name}{}", char::MAX))
                };
                query.fetch_all(connection).await
            })?;
        if let Some(exact) = found.iter().position(|id| id == name) {
            return Ok(found.swap_remove(exact));
        }
        match (found.len(), found.pop()) {
            (1, Some(id)) if !name.is_empty() => Ok(id),
            (0 | 1, _) => Err(SessionError::Unknown(name.to_owned())),
            (count, _) => Err(SessionError::Ambiguous {
                prefix: name.to_owned(),
                count,
            }),
        }
    }
}

/// Whether no session can be called so: PostgreSQL takes no text with a zero byte, also to compare.
fn is_no_name(name: &str) -> bool {
    name.contains('\0')
}

fn parsed<T: DeserializeOwned>(id: &str, text: &str) -> Result<T, SessionError> {
    serde_json::from_str(text).map_err(|source| SessionError::Damaged {
        id: id.to_owned(),
        source,
    })
}

/// The position after a session in the list, also after that session was used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCursor {
    /// When the session was last used.
    updated: String,
    /// Its name.
    id: String,
}

/// The text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no place in a list of sessions")]
pub struct InvalidCursor;

impl fmt::Display for SessionCursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.updated, self.id)
    }
}

impl FromStr for SessionCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (updated, id) = text.split_once(',').ok_or(InvalidCursor)?;
        let is_plain = |part: &str| {
            (1..=64).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_plain(updated) || !is_plain(id) {
            return Err(InvalidCursor);
        }
        Ok(Self {
            updated: updated.to_owned(),
            id: id.to_owned(),
        })
    }
}

/// The result of an import from another store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportedSessions {
    /// How many were copied.
    pub copied: usize,
    /// How many existed already.
    pub known: usize,
    /// Those that are in use.
    pub in_use: Vec<String>,
    /// Those that are damaged.
    pub damaged: Vec<String>,
}

impl SessionStore {
    /// Copies the sessions of another store with their names and times. Existing sessions stay
    /// unchanged, and the other store is not changed.
    pub fn import_from(&self, other: &Self) -> Result<ImportedSessions, SessionError> {
        let mut taken = ImportedSessions::default();
        for summary in other.list(usize::MAX)? {
            let id = summary.id;
            if self.length(&id)?.is_some() {
                taken.known += 1;
                continue;
            }
            if other.is_in_use(&id)? {
                taken.in_use.push(id);
                continue;
            }
            let mut session = match other.load(&id) {
                Err(SessionError::Damaged { id, .. }) => {
                    taken.damaged.push(id);
                    continue;
                }
                loaded => loaded?,
            };
            let used = summary.updated.parse().unwrap_or(session.created);
            (session.kept, session.stored) = (0, false);
            match self.save(&mut session, used) {
                Ok(()) => taken.copied += 1,
                // Another machine saved it first.
                Err(SessionError::InUse(_)) => taken.known += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }
}
