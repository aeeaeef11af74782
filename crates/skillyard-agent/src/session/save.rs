//! Keeping what is new in a session, and forgetting all of it.
//!
//! A session is made once and only changed from then on. A turn that goes on with one that was
//! deleted meanwhile can therefore not bring it back.

use std::collections::VecDeque;

use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use sqlx::{Any, AnyConnection, Connection as _, Transaction};

use super::store::SessionStore;
use super::{Session, SessionError};

/// How many sessions are remembered that were forgotten before they were kept; whoever is about
/// to keep one is long done before so many others are forgotten.
const MAX_FORGOTTEN: usize = 1024;

/// The sessions that were forgotten before they were kept.
#[derive(Debug, Default)]
pub(super) struct Forgotten(Mutex<VecDeque<String>>);

impl Forgotten {
    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock()
    }
}

/// A session as it is written.
struct SessionRow {
    agent: Option<String>,
    title: String,
    state: String,
    prompt: String,
    /// Its new messages.
    bodies: Vec<String>,
    /// How many messages there were, and are.
    before: i64,
    whole: i64,
}

/// What came of saving.
enum Saved {
    Yes,
    /// It has other messages than were known.
    Elsewhere,
    Gone,
}

impl SessionStore {
    /// Keeps what is new in a session: its messages and its state, all or nothing.
    pub fn save(&self, session: &mut Session, now: Timestamp) -> Result<(), SessionError> {
        let row = SessionRow::of(session)?;
        // Held until it is written: nobody forgets it in between.
        let forgotten = (!session.stored).then(|| self.forgotten.lock());
        if forgotten
            .as_ref()
            .is_some_and(|forgotten| forgotten.contains(&session.id))
        {
            return Err(SessionError::Unknown(session.id.clone()));
        }
        let saved = self.database.with(async |connection: &mut AnyConnection| {
            let mut work = connection.begin().await?;
            match row.write(session, now, &mut work).await {
                Ok(Saved::Yes) => work.commit().await.map(|()| Saved::Yes),
                Ok(other) => work.rollback().await.map(|()| other),
                Err(error) if is_taken(&error) => Ok(Saved::Elsewhere),
                Err(error) => Err(error),
            }
        })?;
        match saved {
            Saved::Yes => {}
            Saved::Elsewhere => return Err(SessionError::InUse(session.id.clone())),
            Saved::Gone => return Err(SessionError::Unknown(session.id.clone())),
        }
        session.kept = session.messages.len();
        session.handed_over = false;
        session.stored = true;
        Ok(())
    }

    /// Forgets the session of exactly this name, be it that it is about to be kept first.
    pub fn forget(&self, id: &str) -> Result<(), SessionError> {
        let mut forgotten = self.forgotten.lock();
        let deleted = self.database.with(async |connection: &mut AnyConnection| {
            let lease = sqlx::query("DELETE FROM leases WHERE session = $1");
            lease.bind(id).execute(&mut *connection).await?;
            sqlx::query("DELETE FROM sessions WHERE id = $1")
                .bind(id)
                .execute(connection)
                .await
        })?;
        if deleted.rows_affected() == 0 {
            forgotten.truncate(MAX_FORGOTTEN - 1);
            forgotten.push_front(id.to_owned());
        }
        Ok(())
    }
}

impl SessionRow {
    fn of(session: &Session) -> Result<Self, SessionError> {
        let damaged = |source| SessionError::Damaged {
            id: session.id.clone(),
            source,
        };
        let new = session.messages[session.kept..].iter();
        let bodies: Result<Vec<String>, _> = new.map(serde_json::to_string).collect();
        let agent = session.agent.as_ref();
        Ok(Self {
            agent: agent.map(|agent| format!("{}@{}", agent.name, agent.version)),
            // PostgreSQL keeps no text with a zero byte; in JSON it is written with other characters.
            title: session.title().replace('\0', ""),
            state: serde_json::to_string(&session.state).map_err(damaged)?,
            prompt: serde_json::to_string(&session.prompt).map_err(damaged)?,
            bodies: bodies.map_err(damaged)?,
            before: i64::try_from(session.kept).unwrap_or(i64::MAX),
            whole: i64::try_from(session.messages.len()).unwrap_or(i64::MAX),
        })
    }

    async fn write(
        &self,
        session: &Session,
        now: Timestamp,
        work: &mut Transaction<'_, Any>,
    ) -> Result<Saved, sqlx::Error> {
        let changed = if session.stored {
            sqlx::query(
                "UPDATE sessions SET updated = $2, title = $3, messages = $4, state = $5,
                 prompt = CASE WHEN $6 THEN $7 ELSE prompt END WHERE id = $1 AND messages = $8",
            )
            .bind(&session.id)
            .bind(now.to_string())
            .bind(&self.title)
            .bind(self.whole)
            .bind(&self.state)
            .bind(session.handed_over)
            .bind(&self.prompt)
            .bind(self.before)
            .execute(&mut **work)
            .await?
        } else {
            sqlx::query(
                "INSERT INTO sessions VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                 ON CONFLICT (id) DO NOTHING",
            )
            .bind(&session.id)
            .bind(&self.agent)
            .bind(&session.workspace)
            .bind(session.created.to_string())
            .bind(now.to_string())
            .bind(&self.title)
            .bind(self.whole)
            .bind(&self.prompt)
            .bind(&self.state)
            .execute(&mut **work)
            .await?
        };
        if changed.rows_affected() == 0 {
            let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM sessions WHERE id = $1")
                .bind(&session.id)
                .fetch_optional(&mut **work)
                .await?;
            return Ok(found.map_or(Saved::Gone, |_| Saved::Elsewhere));
        }
        for (place, body) in (self.before..).zip(&self.bodies) {
            sqlx::query("INSERT INTO messages VALUES ($1, $2, $3)")
                .bind(&session.id)
                .bind(place)
                .bind(body)
                .execute(&mut **work)
                .await?;
        }
        Ok(Saved::Yes)
    }
}

/// Whether a message has this place already.
fn is_taken(error: &sqlx::Error) -> bool {
    let error = error.as_database_error();
    error.is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}
