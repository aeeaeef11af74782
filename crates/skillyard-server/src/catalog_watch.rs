//! Keeps the catalog at hand true while the server runs.
//!
//! The system tells of changes in the folders of skills. The few files that decide which skills may
//! be used are looked at twice a second, because editors and our own commands replace them.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use skillyard_catalog::watch::{SkillChange, WatchError, WatchHandle, WatchOptions, Watcher};

use crate::server::Server;

/// Changes that come within this time of one another are one.
const TOGETHER: Duration = Duration::from_millis(50);
/// How often the files that decide about skills are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Keeps the catalog of a server true until it is dropped.
#[derive(Debug)]
pub struct Watch {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

/// What keeps the folders watched; nothing once that is to end.
type Handle = Arc<Mutex<Option<WatchHandle>>>;

/// The thread that looks again.
struct Reloader {
    server: Weak<Server>,
    /// The folders that are watched.
    roots: Vec<PathBuf>,
    changes: Receiver<SkillChange>,
    handle: Handle,
}

impl Server {
    /// Looks for skills again whenever one changes, or what was decided about them.
    pub fn watch(self: &Arc<Self>) -> Result<Watch, WatchError> {
        let roots = self.catalog.snapshot().roots();
        let watcher = Watcher::new(&roots, WatchOptions::default())?;
        let (changes, handle) = watcher.into_parts();
        let handle: Handle = Arc::new(Mutex::new(Some(handle)));
        let reloader = Reloader {
            server: Arc::downgrade(self),
            roots,
            changes,
            handle: Arc::clone(&handle),
        };
        let thread = std::thread::Builder::new()
            .name("skill reloader".into())
            .spawn(move || reloader.run())
            .map_err(WatchError::Thread)?;
        Ok(Watch {
            handle,
            thread: Some(thread),
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The end of the watcher ends the thread.
        let handle = self.handle.lock().take();
        drop(handle);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Reloader {
    fn run(mut self) {
        loop {
            let heard = self.changes.recv_timeout(LOOK);
            if heard.is_ok() {
                while self.changes.recv_timeout(TOGETHER).is_ok() {}
            }
            let Some(server) = self.server.upgrade() else {
                return;
            };
            match heard {
                // An error is logged; the next change may fix it.
                Ok(_) => drop(server.reload()),
                Err(RecvTimeoutError::Timeout) => drop(server.fresh_snapshot()),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let roots = server.catalog.snapshot().roots();
            if roots != self.roots && self.follow(roots) {
                // What happened before they were watched is noticed now.
                let _ = server.reload();
            }
        }
    }

    /// Watches other folders from now on; tells whether it does.
    fn follow(&mut self, roots: Vec<PathBuf>) -> bool {
        let Ok(watcher) = Watcher::new(&roots, WatchOptions::default()) else {
            return false;
        };
        let (changes, handle) = watcher.into_parts();
        match &mut *self.handle.lock() {
            // It is to end: the changes of before tell so.
            None => return false,
            Some(known) => *known = handle,
        }
        self.changes = changes;
        self.roots = roots;
        true
    }
}
