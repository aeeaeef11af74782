//! Who is at work on a session: one at a time.
//!
//! A turn has a lease on its session and renews it for as long as it works. Whoever comes
//! meanwhile is told so before anything is written: to them, a call that runs looks like one whose
//! result was lost. A lease ends with its turn. That of a program which is gone ends at once where
//! this can be seen, on the same machine, and elsewhere when nobody has renewed it for a while.
//! The time is the database's own, so the clocks of machines need not agree.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use super::holder;
use super::store::SessionStore;
use super::{Session, SessionError};

/// Seconds for which a lease holds that is not renewed.
const TERM: i64 = 10;
/// How often it is renewed: a busy machine may miss it twice.
const RENEWAL: Duration = Duration::from_secs(3);

/// The right to work on a session, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    held: Held,
    /// Ends the renewing when it goes.
    _renewing: mpsc::Sender<()>,
}

#[derive(Debug)]
struct Held {
    store: Arc<SessionStore>,
    session: String,
    holder: String,
}

impl SessionStore {
    /// Whether somebody is at work on the session of exactly this name.
    pub fn is_in_use(&self, id: &str) -> Result<bool, SessionError> {
        let now = self.database.dialect().now;
        self.database.with(async |connection: &mut AnyConnection| {
            Ok(found(connection, id, now).await?.holds())
        })
    }

    /// Takes a session as it was read; nobody else works on it until the lease is dropped.
    pub(crate) fn lease(self: &Arc<Self>, session: &Session) -> Result<Lease, SessionError> {
        let holder = holder::own()?;
        let now = self.database.dialect().now;
        let id = &session.id;
        let is_taken = self.database.with(async |connection: &mut AnyConnection| {
            let found = found(connection, id, now).await?;
            if found.holds() {
                return Ok(false);
            }
            if let Found::Some { holder, ends, .. } = &found {
                // Unless it was renewed, or taken, since it was looked at.
                let query = "DELETE FROM leases WHERE session = $1 AND holder = $2 AND ends = $3";
                let query = sqlx::query(query).bind(id).bind(holder).bind(ends);
                query.execute(&mut *connection).await?;
            }
            let statement = format!(
                "INSERT INTO leases VALUES ($1, $2, {now} + {TERM}) ON CONFLICT (session) DO NOTHING"
            );
            let query = sqlx::query(AssertSqlSafe(statement)).bind(id).bind(&holder);
            Ok(query.execute(connection).await?.rows_affected() == 1)
        })?;
        if !is_taken {
            return Err(SessionError::InUse(id.clone()));
        }
        let lease = Lease::renewed(Held {
            store: Arc::clone(self),
            session: id.clone(),
            holder,
        });
        // Somebody may have gone on with it, and be done.
        match self.length(id)? {
            Some(length) if session.stored && length != session.kept => {
                Err(SessionError::InUse(id.clone()))
            }
            None if session.stored => Err(SessionError::Unknown(id.clone())),
            _ => Ok(lease),
        }
    }
}

impl Lease {
    fn renewed(held: Held) -> Self {
        let (renewing, ended) = mpsc::channel();
        // The store is closed by who works with it, and not by this thread, which may end too late.
        let store = Arc::downgrade(&held.store);
        let (session, holder) = (held.session.clone(), held.holder.clone());
        thread::spawn(move || {
            while ended.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
                let Some(store) = store.upgrade() else { return };
                let (session, holder) = (session.clone(), holder.clone());
                let own = Held {
                    store,
                    session,
                    holder,
                };
                // What cannot be renewed now may be the next time; in the end it lapses.
                let _ = own.renew();
            }
        });
        Self {
            held,
            _renewing: renewing,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // What cannot be given back lapses.
        let _ = self.held.give_back();
    }
}

impl Held {
    fn renew(&self) -> Result<(), SessionError> {
        let now = self.store.database.dialect().now;
        let statement =
            format!("UPDATE leases SET ends = {now} + {TERM} WHERE session = $1 AND holder = $2");
        self.done(statement)
    }

    fn give_back(&self) -> Result<(), SessionError> {
        self.done("DELETE FROM leases WHERE session = $1 AND holder = $2".to_owned())
    }

    fn done(&self, statement: String) -> Result<(), SessionError> {
        let Self {
            session, holder, ..
        } = self;
        self.store
            .database
            .with(async |connection: &mut AnyConnection| {
                // All of it stands in this program.
                let query = sqlx::query(AssertSqlSafe(statement));
                query.bind(session).bind(holder).execute(connection).await
            })?;
        Ok(())
    }
}

/// The lease that is there.
enum Found {
    None,
    Some {
        holder: String,
        ends: i64,
        /// Seconds until then.
        left: i64,
    },
}

impl Found {
    fn holds(&self) -> bool {
        match self {
            Self::None => false,
            Self::Some { holder, left, .. } => *left > 0 && !holder::is_gone(holder),
        }
    }
}

async fn found(
    connection: &mut AnyConnection,
    id: &str,
    now: &'static str,
) -> Result<Found, sqlx::Error> {
    let statement =
        format!("SELECT holder, ends, ends - {now} AS left_over FROM leases WHERE session = $1");
    let query = sqlx::query(AssertSqlSafe(statement)).bind(id);
    let row = query.fetch_optional(connection).await?;
    Ok(row.map_or(Found::None, |row| Found::Some {
        holder: row.get("holder"),
        ends: row.get("ends"),
        left: row.get("left_over"),
    }))
}
