//! Sessions on disk, in SQLite.
//!
//! Every message has its place as a key, so two programs that go on with one session cannot both
//! succeed.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use skillyard_format::Digest;
use sqlx::{Row as _, SqliteConnection};

use super::database::Database;
use super::save::Forgotten;
use super::{Session, SessionError};

/// Sessions on disk.
#[derive(Debug)]
pub struct SessionStore {
    pub(super) database: Database,
    pub(super) forgotten: Forgotten,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
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

    /// The session of a name, or of the only one that begins so; `last` is the last that was used.
    pub fn load(&self, name: &str) -> Result<Session, SessionError> {
        let id = self.resolve(name)?;
        let (row, bodies) = self
            .database
            .with(async |connection: &mut SqliteConnection| {
                let row = sqlx::query(
                    "SELECT agent, workspace, created, prompt, state FROM sessions WHERE id = ?1",
                )
                .bind(&id)
                .fetch_one(&mut *connection)
                .await?;
                let bodies = sqlx::query_scalar::<_, String>(
                    "SELECT body FROM messages WHERE session = ?1 ORDER BY place",
                )
                .bind(&id)
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
        let found = self
            .database
            .with(async |connection: &mut SqliteConnection| {
                sqlx::query_scalar::<_, String>(
                    "SELECT json_extract(skill.value, '$.digest')
                        FROM sessions, json_each(sessions.prompt, '$.installed') AS skill
                    UNION SELECT json_extract(skill.value, '$.digest')
                        FROM sessions, json_each(sessions.state, '$.activated') AS skill",
                )
                .fetch_all(&mut *connection)
                .await
            })?;
        Ok(found.iter().filter_map(|text| text.parse().ok()).collect())
    }

    /// The sessions, those first that were used last.
    pub fn list(&self, limit: usize) -> Result<Vec<Summary>, SessionError> {
        self.list_of(Owner::Any, limit)
    }

    /// The sessions of somebody, those first that were used last.
    pub fn list_of(&self, owner: Owner<'_>, limit: usize) -> Result<Vec<Summary>, SessionError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let wanted = match owner {
            Owner::Any => None,
            Owner::Only(owner) => Some(owner),
        };
        let rows = self
            .database
            .with(async |connection: &mut SqliteConnection| {
                sqlx::query(
                    "SELECT id, agent, workspace, created, updated, title, messages,
                 json_extract(state, '$.owner') AS owner FROM sessions
                 WHERE ?2 IS NULL OR owner = ?2 ORDER BY updated DESC, id LIMIT ?1",
                )
                .bind(limit)
                .bind(wanted)
                .fetch_all(connection)
                .await
            })?;
        let summaries = rows.iter().map(|row| Summary {
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
        let found: Option<i64> =
            self.database
                .with(async |connection: &mut SqliteConnection| {
                    sqlx::query_scalar("SELECT messages FROM sessions WHERE id = ?1")
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
        let mut found: Vec<String> =
            self.database
                .with(async |connection: &mut SqliteConnection| {
                    let query = if name == "last" {
                        sqlx::query_scalar(
                            "SELECT id FROM sessions ORDER BY updated DESC, id LIMIT 1",
                        )
                    } else {
                        // A range of keys: no character of the name has a meaning.
                        sqlx::query_scalar(
                    "SELECT id FROM sessions WHERE id >= ?1 AND id < ?1 || char(1114111) LIMIT 20",
                )
                .bind(name)
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

fn parsed<T: DeserializeOwned>(id: &str, text: &str) -> Result<T, SessionError> {
    serde_json::from_str(text).map_err(|source| SessionError::Damaged {
        id: id.to_owned(),
        source,
    })
}
