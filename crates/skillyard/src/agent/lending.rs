//! MCP servers of sessions that people talk in: kept between turns, so that what a server knows
//! lasts and no turn waits for it to start.
//!
//! They end when nobody has talked for a while, when too many others are kept, and with us.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::mcp::Lenders;
use parking_lot::{Mutex, MutexGuard};

/// The servers of how many sessions are kept.
const MAX_SERVER_SETS: usize = 16;
/// For how long after the last turn.
const IDLE: Duration = Duration::from_mins(10);
/// How often it is looked who has been silent for so long.
const ROUND: Duration = Duration::from_secs(20);

/// The servers that are kept.
#[derive(Default)]
pub(super) struct Lending {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    kept: Vec<CachedServers>,
    /// Whether somebody goes round and ends what is idle.
    is_watched: bool,
}

struct CachedServers {
    session: String,
    lenders: Lenders,
    used: Instant,
}

impl Lending {
    /// The servers of a session: those that are kept, if they are still configured as these are.
    pub(super) fn of(&self, session: &str, fresh: Lenders) -> Lenders {
        if fresh.configured.is_empty() {
            return fresh;
        }
        let found = {
            let kept = &mut self.shared().kept;
            let at = kept.iter().position(|each| each.session == session);
            at.map(|at| kept.remove(at))
        };
        let lenders = match found {
            Some(found) if found.lenders.configured == fresh.configured => found.lenders,
            _ => fresh,
        };
        self.keep(session, lenders.clone());
        lenders
    }

    /// Keeps the servers of a session.
    pub(super) fn keep(&self, session: &str, lenders: Lenders) {
        if lenders.configured.is_empty() {
            return;
        }
        let mut shared = self.shared();
        // A turn takes its servers out and puts them back, so that none may be kept for a moment.
        if !shared.is_watched {
            let watched = Arc::downgrade(&self.shared);
            let thread = thread::Builder::new().name("lent-servers".into());
            shared.is_watched = thread.spawn(move || rounds(&watched)).is_ok();
        }
        let kept = &mut shared.kept;
        let gone = if kept.len() < MAX_SERVER_SETS {
            None
        } else if let Some(at) = kept.iter().position(is_idle) {
            Some(kept.remove(at))
        } else {
            // All others are talked in just now; this one ends with its turn.
            return;
        };
        kept.push(CachedServers {
            session: session.to_owned(),
            lenders,
            used: Instant::now(),
        });
        drop(shared);
        // Ending a program takes a moment, in which nobody else should have to wait.
        drop(gone);
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock()
    }
}

/// Whether no turn holds the servers.
fn is_idle(kept: &CachedServers) -> bool {
    Arc::strong_count(&kept.lenders.servers) == 1
}

/// Ends what has been idle for long, until nothing is kept.
fn rounds(watched: &Weak<Mutex<Shared>>) {
    loop {
        thread::sleep(ROUND);
        let Some(shared) = watched.upgrade() else {
            return;
        };
        let mut shared = shared.lock();
        let is_over = |each: &mut CachedServers| is_idle(each) && each.used.elapsed() >= IDLE;
        let gone: Vec<CachedServers> = shared.kept.extract_if(.., is_over).collect();
        let is_done = shared.kept.is_empty();
        shared.is_watched = !is_done;
        drop(shared);
        drop(gone);
        if is_done {
            return;
        }
    }
}
