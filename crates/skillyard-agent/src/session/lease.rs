//! Leases: only one program works on a session at a time.
//!
//! A turn takes a lease on its session and renews it while it works. Another program is refused before
//! it writes anything, because to it a running call looks like a lost one. A lease ends with its turn, or
//! expires. On the same machine it also ends when the process of its holder is gone, which Linux reports
//! to the same user. Times are those of the database, so the clocks of machines need not agree.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use super::store::SessionStore;
use super::{Session, SessionError, random};

/// Seconds after which a lease expires that is not renewed.
const LEASE_SECONDS: i64 = 10;
/// How often it is renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(3);

/// The right to work on a session, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    record: LeaseRecord,
    /// Ends the renewing when it goes.
    _renewing: mpsc::Sender<()>,
}

#[derive(Debug)]
struct LeaseRecord {
    store: Arc<SessionStore>,
    session: String,
    holder: String,
}

impl SessionStore {
    /// Whether somebody is at work on the session of exactly this name.
    pub fn is_in_use(&self, id: &str) -> Result<bool, SessionError> {
        let now = self.database.dialect().now;
        self.database.with(async |connection: &mut AnyConnection| {
            Ok(existing_lease(connection, id, now).await?.holds())
        })
    }

    /// Takes a session as it was read; nobody else works on it until the lease is dropped.
    pub(crate) fn lease(self: &Arc<Self>, session: &Session) -> Result<Lease, SessionError> {
        let holder = new_holder()?;
        let now = self.database.dialect().now;
        let id = &session.id;
        let is_taken = self.database.with(async |connection: &mut AnyConnection| {
            let found = existing_lease(connection, id, now).await?;
            if found.holds() {
                return Ok(false);
            }
            if let ExistingLease::Some { holder, ends, .. } = &found {
                // Unless it was renewed, or taken, since it was looked at.
                let query = "DELETE FROM leases WHERE session = $1 AND holder = $2 AND ends = $3";
                let query = sqlx::query(query).bind(id).bind(holder).bind(ends);
                query.execute(&mut *connection).await?;
            }
            let statement = format!(
                "INSERT INTO leases VALUES ($1, $2, {now} + {LEASE_SECONDS}) ON CONFLICT (session) DO NOTHING"
            );
            let query = sqlx::query(AssertSqlSafe(statement)).bind(id).bind(&holder);
            Ok(query.execute(connection).await?.rows_affected() == 1)
        })?;
        if !is_taken {
            return Err(SessionError::InUse(id.clone()));
        }
        let lease = Lease::renewed(LeaseRecord {
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
    fn renewed(record: LeaseRecord) -> Self {
        let (renewing, ended) = mpsc::channel();
        // The store is closed by who works with it, and not by this thread, which may end too late.
        let store = Arc::downgrade(&record.store);
        let (session, holder) = (record.session.clone(), record.holder.clone());
        thread::spawn(move || {
            while ended.recv_timeout(RENEWAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let Some(store) = store.upgrade() else { return };
                let (session, holder) = (session.clone(), holder.clone());
                let own = LeaseRecord {
                    store,
                    session,
                    holder,
                };
                // What cannot be renewed now may be the next time; in the end it lapses.
                let _ = own.renew();
            }
        });
        Self {
            record,
            _renewing: renewing,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // What cannot be given back lapses.
        let _ = self.record.give_back();
    }
}

impl LeaseRecord {
    fn renew(&self) -> Result<(), SessionError> {
        let now = self.store.database.dialect().now;
        let statement = format!(
            "UPDATE leases SET ends = {now} + {LEASE_SECONDS} WHERE session = $1 AND holder = $2"
        );
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
enum ExistingLease {
    None,
    Some {
        holder: String,
        ends: i64,
        /// Seconds until then.
        left: i64,
    },
}

impl ExistingLease {
    fn holds(&self) -> bool {
        match self {
            Self::None => false,
            Self::Some { holder, left, .. } => *left > 0 && !is_gone(holder),
        }
    }
}

async fn existing_lease(
    connection: &mut AnyConnection,
    id: &str,
    now: &'static str,
) -> Result<ExistingLease, sqlx::Error> {
    let statement =
        format!("SELECT holder, ends, ends - {now} AS left_over FROM leases WHERE session = $1");
    let query = sqlx::query(AssertSqlSafe(statement)).bind(id);
    let row = query.fetch_optional(connection).await?;
    Ok(row.map_or(ExistingLease::None, |row| ExistingLease::Some {
        holder: row.get("holder"),
        ends: row.get("ends"),
        left: row.get("left_over"),
    }))
}

/// A new holder: this process, and a name for one turn.
fn new_holder() -> Result<String, SessionError> {
    let name = random()?;
    let process = std::process::id();
    Ok(match (machine_id(), started(process)) {
        (Some(place), ProcessStart::At(start)) => format!("{name} {place} {process} {start}"),
        _ => name,
    })
}

/// Whether the process of a holder has certainly ended.
fn is_gone(holder: &str) -> bool {
    let parts: Vec<&str> = holder.split(' ').collect();
    let [_, there, process, start] = parts[..] else {
        return false;
    };
    if machine_id().is_none_or(|here| here != there) {
        return false;
    }
    match process.parse().map(started) {
        Ok(ProcessStart::At(now)) => now != start,
        Ok(ProcessStart::Never) => true,
        Ok(ProcessStart::Unknown) | Err(_) => false,
    }
}

/// When a process was started.
enum ProcessStart {
    /// In ticks since the machine was.
    At(String),
    /// There is none of this number, or only what is left of it.
    Never,
    Unknown,
}

fn started(process: u32) -> ProcessStart {
    let status = match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(status) => status,
        Err(error) if error.kind() == ErrorKind::NotFound => return ProcessStart::Never,
        Err(_) => return ProcessStart::Unknown,
    };
    // The name of the program may hold anything; what follows it does not.
    let Some((_, fields)) = status.rsplit_once(')') else {
        return ProcessStart::Unknown;
    };
    let fields: Vec<&str> = fields.split_whitespace().collect();
    match (fields.first(), fields.get(19)) {
        (Some(&("Z" | "X")), _) => ProcessStart::Never,
        (_, Some(ticks)) => ProcessStart::At((*ticks).to_owned()),
        _ => ProcessStart::Unknown,
    }
}

/// This start of this machine, the processes that are seen here, and who looks at them.
fn machine_id() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let processes = fs::read_link("/proc/self/ns/pid").ok()?;
    let user = fs::metadata("/proc/self").ok()?.uid();
    Some(format!("{}/{}/{user}", boot.trim(), processes.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_gone_once_it_has_ended() {
        let own = new_holder().unwrap();
        assert!(!is_gone(&own));
        let parts: Vec<&str> = own.split(' ').collect();
        let [name, place, process, start] = parts[..] else {
            // Nothing can be told here.
            return;
        };
        let changed = |place, process, start| format!("{name} {place} {process} {start}");
        assert!(is_gone(&changed(place, "4194305", start)), "no such number");
        assert!(is_gone(&changed(place, process, "1")), "another's number");
        assert!(!is_gone(&changed("elsewhere", "4194305", start)));
        assert!(!is_gone(name));
    }
}
