//! Keeps the catalog at hand true while the server runs.

use std::sync::{Arc, Weak};
use std::time::Duration;

use skillyard_catalog::watch::{WatchError, WatchHandle, WatchOptions, Watcher};

use crate::server::Server;

/// Changes that come within this time of one another are one.
const TOGETHER: Duration = Duration::from_millis(50);

impl Server {
    /// Looks for skills again whenever one changes, until the handle is dropped.
    pub fn watch(self: &Arc<Self>) -> Result<WatchHandle, WatchError> {
        let roots = self.shelf.stock().roots();
        let watcher = Watcher::new(&roots, WatchOptions::default())?;
        let (changes, handle) = watcher.into_parts();
        let server: Weak<Self> = Arc::downgrade(self);
        std::thread::Builder::new()
            .name("skill reloader".into())
            .spawn(move || {
                while changes.recv().is_ok() {
                    while changes.recv_timeout(TOGETHER).is_ok() {}
                    let Some(server) = server.upgrade() else {
                        return;
                    };
                    // What cannot be read now may be readable after the next change.
                    let _ = server.reload();
                }
            })
            .map_err(WatchError::Thread)?;
        Ok(handle)
    }
}
