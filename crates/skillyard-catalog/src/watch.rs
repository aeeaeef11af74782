//! Changes of skills, told to a running process, one skill at a time.
//!
//! What the system reports is only a reason to look: which skill changed is decided by comparing the stamps of its files
//! (`tree`) with those from before. So an editor that writes through a second file, a skill that is unpacked file by
//! file and events the system loses or doubles all end in the same answer, and polling gives it too.
//!
//! | question | decision |
//! |---|---|
//! | whose file is it | the skill discovery would count it to: the outermost folder with a `SKILL.md` at or below the root |
//! | when | 200 ms after the last event, and at most 600 ms after the first when events do not stop |
//! | what is watched | each folder below a root by itself, without `.git`, `node_modules`, `target` and what waits for its place, 16 deep |
//! | symbolic links | a link to a skill's folder is followed, one to another folder where the options allow its target; none within a skill |
//! | roots that are missing, removed, replaced, or moved with a folder above them | every root's identity is looked at twice a second, which costs one `stat` each |
//! | too many folders, or no watches left in the system | everything is polled, for at most a fifth of the time, until the watcher ends; [`Watcher::state`] says so |
//!
//! `notify` is used without its debouncer: that one follows renames of single files by keeping the identity of every
//! file below the roots, and would still not know which folder is a skill.

mod changes;
mod tree;
mod watches;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use self::changes::{Shared, Signal, Watching};

/// A change of one skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The skill's folder, below its root as that was given.
    pub skill_dir: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
}

/// What happened to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is new, or a file of it is.
    Changed,
    /// Its folder or its `SKILL.md` is gone.
    Removed,
}

/// How skills are watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    /// How long nothing must happen before a change is told.
    pub debounce: Duration,
    /// How many folders are watched; above it they are polled, up to ten times as many.
    pub max_folders: usize,
    /// How often roots are looked at, and everything when polling.
    pub interval: Duration,
    /// Folders into which symbolic links are followed.
    pub allowed: Vec<PathBuf>,
}

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchMode {
    /// The system reports them.
    #[default]
    Events,
    /// Everything is looked at again and again.
    Polling(PollingReason),
}

/// Why changes are polled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollingReason {
    /// There are more folders than may be watched.
    TooManyFolders,
    /// The system gives no watches, or no more of them.
    Unsupported,
}

/// What a watcher is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WatchState {
    /// How changes are noticed.
    pub mode: WatchMode,
    /// How many folders are looked at.
    pub folders: usize,
    /// How many folders are not looked at, nor what is below them, because there are too many.
    pub left_out: usize,
}

/// Why skills cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// A relative path could not be completed.
    #[error("skill source `{}` has no absolute path", path.display())]
    Root {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The thread that watches could not be started.
    #[error("the thread that watches skills cannot be started")]
    Thread(#[source] io::Error),
}

/// Watches folders of skills until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    changes: Receiver<Change>,
    handle: WatchHandle,
}

/// Keeps a watcher going whose changes are received elsewhere; it ends when this is dropped.
#[derive(Debug)]
pub struct WatchHandle {
    signals: Sender<Signal>,
    shared: Shared,
    thread: Option<JoinHandle<()>>,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(200),
            max_folders: 2_000,
            interval: Duration::from_millis(500),
            allowed: Vec::new(),
        }
    }
}

impl Watcher {
    /// Starts watching `roots`, which need not exist; whatever changes after this returns is told.
    pub fn new(roots: &[PathBuf], options: WatchOptions) -> Result<Self, WatchError> {
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(|source| WatchError::Root {
                path: path.clone(),
                source,
            })
        };
        let roots = roots.iter().map(absolute).collect::<Result<_, _>>()?;
        let (signals, received) = mpsc::channel();
        let (sender, changes) = mpsc::channel();
        let shared = Shared::default();
        let watching = Watching::new(roots, options, &signals, sender, Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("skill watcher".into())
            .spawn(move || watching.run(&received))
            .map_err(WatchError::Thread)?;
        let handle = WatchHandle {
            signals,
            shared,
            thread: Some(thread),
        };
        Ok(Self { changes, handle })
    }

    /// The changes, in the order in which they were noticed.
    pub fn changes(&self) -> &Receiver<Change> {
        &self.changes
    }

    /// How changes are noticed at the moment.
    pub fn mode(&self) -> WatchMode {
        self.handle.state().mode
    }

    /// What the watcher is doing at the moment.
    pub fn state(&self) -> WatchState {
        self.handle.state()
    }

    /// The changes for one thread, and the handle for another to keep.
    pub fn into_parts(self) -> (Receiver<Change>, WatchHandle) {
        (self.changes, self.handle)
    }
}

impl WatchHandle {
    /// What the watcher is doing at the moment.
    pub fn state(&self) -> WatchState {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        // Neither can fail in a way that matters: a thread that is gone has ended.
        let _ = self.signals.send(Signal::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
