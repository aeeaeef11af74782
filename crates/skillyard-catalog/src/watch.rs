//! Reports changes of skills to a running process, one skill at a time.
//!
//! What the system reports is only a reason to walk the roots again: which skill changed is decided by comparing the stamps of its files
//! with those of the walk before. An editor that writes through a second file, a skill that is unpacked file by file and events that the
//! system loses or repeats therefore all have the same result, and polling has it too.
//!
//! | question | decision |
//! |---|---|
//! | which skill a file belongs to | as in discovery: the outermost folder with a `SKILL.md` at or below the root |
//! | when | 200 ms after the last event, and at most 600 ms after the first while events do not stop |
//! | what is watched | each folder below a root, without `.git`, `node_modules`, `target` and staging folders, 16 deep |
//! | symbolic links | a link to a skill's folder is followed, one to another folder if the options allow its target; none within a skill |
//! | roots that are missing, removed, replaced, or moved with a folder above them | every root is checked twice a second, with one `stat` |
//! | too many folders, or no watches left in the system | everything is polled, for at most a fifth of the time; [`Watcher::state`] reports it |
//!
//! `notify` is used without a debouncer: `notify-debouncer-full` passes on events that do not stop with every tick, so they would have to be
//! collected here as well, and it would not know which folder is a skill.

mod tree;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;

use self::tree::{FileId, FolderTree, SkillStamps};

/// While events do not stop, a change is held back for at most so many debounce times.
const MAX_DEBOUNCES: u32 = 3;
/// Polling may take one of so many parts of the time.
const POLLING_SHARE: u32 = 5;
/// How many folders may be polled for each that may be watched.
const POLLED_PER_WATCHED: usize = 10;
/// How often folders may appear while they are being watched, before the rest is left to the next event.
const MAX_WALKS: usize = 16;

/// A change of one skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillChange {
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
    /// How long there must be no event before a change is reported.
    pub debounce: Duration,
    /// How many folders are watched; above it they are polled, up to ten times as many.
    pub max_folders: usize,
    /// How often roots are checked, and everything when polling.
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
    /// Everything is walked again and again.
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
    /// How many folders are examined.
    pub folders: usize,
    /// How many folders are not examined, nor what is below them, because there are too many.
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
    changes: Receiver<SkillChange>,
    handle: WatchHandle,
}

/// Keeps a watcher going whose changes are received elsewhere; it ends when this is dropped.
#[derive(Debug)]
pub struct WatchHandle {
    signals: Sender<Signal>,
    state: Arc<Mutex<WatchState>>,
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
    /// Starts watching `roots`, which need not exist; every change after this returns is reported.
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
        let state = Arc::default();
        let worker = Worker::new(roots, options, &signals, sender, Arc::clone(&state));
        let thread = std::thread::Builder::new()
            .name("skill watcher".into())
            .spawn(move || worker.run(&received))
            .map_err(WatchError::Thread)?;
        let handle = WatchHandle {
            signals,
            state,
            thread: Some(thread),
        };
        Ok(Self { changes, handle })
    }

    /// The changes, in the order in which they were noticed.
    pub fn changes(&self) -> &Receiver<SkillChange> {
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
    pub fn into_parts(self) -> (Receiver<SkillChange>, WatchHandle) {
        (self.changes, self.handle)
    }
}

impl WatchHandle {
    /// What the watcher is doing at the moment.
    pub fn state(&self) -> WatchState {
        *self.state.lock()
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        // Sending and joining only fail when the thread has ended.
        let _ = self.signals.send(Signal::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What reaches the thread.
#[derive(Debug)]
enum Signal {
    Event(notify::Result<Event>),
    /// The watcher was dropped.
    Stop,
}

/// The thread ends: the watcher was dropped, or its changes are not received any more.
struct Ended;

/// The thread that turns events into changes of skills.
struct Worker {
    tree: FolderTree,
    /// `None` while polling.
    watches: Option<FolderWatches>,
    mode: WatchMode,
    options: WatchOptions,
    skills: SkillStamps,
    changes: Sender<SkillChange>,
    state: Arc<Mutex<WatchState>>,
}

impl Worker {
    /// Walks everything once and starts to watch it.
    fn new(
        roots: Vec<PathBuf>,
        options: WatchOptions,
        signals: &Sender<Signal>,
        changes: Sender<SkillChange>,
        state: Arc<Mutex<WatchState>>,
    ) -> Self {
        let watches = FolderWatches::new(signals.clone());
        let mode = match watches {
            Some(_) => WatchMode::Events,
            None => WatchMode::Polling(PollingReason::Unsupported),
        };
        let max_folders = options.max_folders.saturating_mul(POLLED_PER_WATCHED);
        let mut worker = Self {
            tree: FolderTree::new(roots, &options.allowed, max_folders),
            watches,
            mode,
            options,
            skills: SkillStamps::new(),
            changes,
            state,
        };
        worker.walk();
        worker.skills = worker.tree.skills();
        worker.publish_state();
        worker
    }

    fn run(mut self, signals: &Receiver<Signal>) {
        let _ended = self.run_until_ended(signals);
    }

    fn run_until_ended(&mut self, signals: &Receiver<Signal>) -> Result<(), Ended> {
        let mut next_check = Instant::now() + self.options.interval;
        loop {
            match signals.recv_timeout(next_check.saturating_duration_since(Instant::now())) {
                Ok(first) => {
                    self.collect(first, signals)?;
                    self.update()?;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Ended),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if now >= next_check {
                if self.watches.is_none() || self.tree.has_moved_roots() {
                    self.update()?;
                }
                let pause = now.elapsed() * (POLLING_SHARE - 1);
                next_check = now + self.options.interval.max(pause);
            }
        }
    }

    /// Takes events until there are none for a while.
    fn collect(&mut self, first: Signal, signals: &Receiver<Signal>) -> Result<(), Ended> {
        let latest = Instant::now() + self.options.debounce * MAX_DEBOUNCES;
        let mut signal = first;
        loop {
            let Signal::Event(event) = signal else {
                return Err(Ended);
            };
            if let Some(watches) = &mut self.watches {
                watches.note(&event);
            }
            let rest = latest.saturating_duration_since(Instant::now());
            signal = match signals.recv_timeout(self.options.debounce.min(rest)) {
                Ok(next) => next,
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(Ended),
            };
        }
    }

    /// Walks the roots and reports which skills changed.
    fn update(&mut self) -> Result<(), Ended> {
        self.walk();
        let before = std::mem::replace(&mut self.skills, self.tree.skills());
        self.publish_state();
        let removed = before
            .keys()
            .filter(|skill| !self.skills.contains_key(*skill))
            .map(|skill| (skill, ChangeKind::Removed));
        let changed = self
            .skills
            .iter()
            .filter(|(skill, stamp)| before.get(*skill) != Some(stamp))
            .map(|(skill, _)| (skill, ChangeKind::Changed));
        let by_skill: BTreeMap<_, _> = removed.chain(changed).collect();
        for (skill, kind) in by_skill {
            let change = SkillChange {
                skill_dir: skill.clone(),
                kind,
            };
            self.changes.send(change).map_err(|_| Ended)?;
        }
        Ok(())
    }

    /// Walks the roots until every folder was watched before it was walked.
    fn walk(&mut self) {
        for _ in 0..MAX_WALKS {
            self.tree.walk();
            let Some(watches) = &mut self.watches else {
                return;
            };
            if self.tree.len() > self.options.max_folders {
                self.poll(PollingReason::TooManyFolders);
                return;
            }
            match watches.follow(&self.tree) {
                Ok(Followed::Unchanged) => return,
                Ok(Followed::Added) => {}
                Err(NoWatchesLeft) => self.poll(PollingReason::Unsupported),
            }
        }
    }

    fn poll(&mut self, reason: PollingReason) {
        self.watches = None;
        self.mode = WatchMode::Polling(reason);
    }

    fn publish_state(&self) {
        *self.state.lock() = WatchState {
            mode: self.mode,
            folders: self.tree.len(),
            left_out: self.tree.left_out(),
        };
    }
}

/// The watches of the system, one for each folder.
///
/// A folder is watched once, under its canonical path, whatever paths lead to it: systems report an event once for a folder, under one
/// of its paths.
struct FolderWatches {
    system: RecommendedWatcher,
    watched: HashMap<PathBuf, FileId>,
}

/// Whether folders are watched that were not watched before.
enum Followed {
    Unchanged,
    Added,
}

struct NoWatchesLeft;

impl FolderWatches {
    /// `None` if the system has no watches.
    fn new(signals: Sender<Signal>) -> Option<Self> {
        let handler = move |event: notify::Result<Event>| {
            let is_read =
                matches!(&event, Ok(event) if event.kind.is_access() && !event.need_rescan());
            if !is_read {
                // This only fails when the thread has ended.
                let _ = signals.send(Signal::Event(event));
            }
        };
        Some(Self {
            system: notify::recommended_watcher(handler).ok()?,
            watched: HashMap::new(),
        })
    }

    /// Drops watches that an event made invalid: those of removed folders are gone, and those of moved ones have an old path.
    fn note(&mut self, event: &notify::Result<Event>) {
        match event {
            Ok(event) if !event.need_rescan() => {
                let is_displacing = matches!(
                    event.kind,
                    EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) | EventKind::Any
                );
                for path in event.paths.iter().filter(|_| is_displacing) {
                    self.drop_below(path);
                }
            }
            // Events were lost.
            _ => self.drop_below("/".as_ref()),
        }
    }

    fn drop_below(&mut self, path: &Path) {
        let system = &mut self.system;
        self.watched.retain(|watched, _| {
            let is_below = watched.starts_with(path);
            if is_below {
                let _ = system.unwatch(watched);
            }
            !is_below
        });
    }

    /// Watches the folders of `tree` and no others.
    fn follow(&mut self, tree: &FolderTree) -> Result<Followed, NoWatchesLeft> {
        let mut wanted: HashMap<FileId, &Path> = HashMap::new();
        for (path, id) in tree.folders() {
            wanted.entry(id).or_insert(path);
        }
        let mut paths = self.system.paths_mut();
        self.watched.retain(|path, id| {
            let is_wanted = wanted.remove(id).is_some();
            if !is_wanted {
                // This fails for removed folders, whose watches are gone.
                let _ = paths.remove(path);
            }
            is_wanted
        });
        let mut followed = Followed::Unchanged;
        for (id, folder) in wanted {
            // A folder that was removed meanwhile is missing in the next walk.
            let Ok(path) = folder.canonicalize() else {
                continue;
            };
            match paths.add(&path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(path, id);
                    followed = Followed::Added;
                }
                Err(_) if !path.exists() => {}
                Err(_) => return Err(NoWatchesLeft),
            }
        }
        paths.commit().map_err(|_| NoWatchesLeft)?;
        Ok(followed)
    }
}
