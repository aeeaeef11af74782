//! The thread that turns events into changes of skills.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::Event;

use super::tree::{Depth, Identity, Skills, Tree};
use super::watches::{Exhausted, Watches, displaces, matters};
use super::{Change, ChangeKind, PollingReason, WatchMode, WatchOptions, WatchState};

/// How many times the debounce a change may be held back while events do not stop.
const PATIENCE: u32 = 3;
/// Polling may take one of so many parts of the time.
const POLLING_SHARE: u32 = 5;
/// How many folders may be polled for each that may be watched.
const POLLED_PER_WATCHED: usize = 10;

/// What reaches the thread.
#[derive(Debug)]
pub(super) enum Signal {
    /// The system reports something.
    Event(notify::Result<Event>),
    /// The watcher was dropped.
    Stop,
}

/// What the thread lets others see.
pub(super) type Shared = Arc<Mutex<WatchState>>;

/// Everything the thread knows.
pub(super) struct Watching {
    tree: Tree,
    /// `None` while polling.
    watches: Option<Watches>,
    mode: WatchMode,
    options: WatchOptions,
    skills: Skills,
    pending: Pending,
    changes: Sender<Change>,
    shared: Shared,
}

/// What was reported and not looked at yet.
#[derive(Debug, Default)]
struct Pending {
    folders: BTreeSet<Identity>,
    everything: bool,
    displaced: BTreeSet<PathBuf>,
    roots: Vec<PathBuf>,
    first_and_last: Option<(Instant, Instant)>,
}

/// Nobody receives the changes any more.
struct Unheard;

impl Watching {
    /// Looks at everything once and starts to watch it.
    pub(super) fn new(
        roots: Vec<PathBuf>,
        options: WatchOptions,
        signals: &Sender<Signal>,
        changes: Sender<Change>,
        shared: Shared,
    ) -> Self {
        let signals = signals.clone();
        let watches = Watches::new(move |event| {
            if matters(&event) {
                // The thread has ended when this fails, and nobody is left to tell.
                let _ = signals.send(Signal::Event(event));
            }
        });
        let mode = match watches {
            Some(_) => WatchMode::Events,
            None => WatchMode::Polling(PollingReason::Unsupported),
        };
        let bound = options.max_folders.saturating_mul(POLLED_PER_WATCHED);
        let mut watching = Self {
            tree: Tree::new(roots, &options.allowed, bound),
            watches,
            mode,
            options,
            skills: Skills::new(),
            pending: Pending::default(),
            changes,
            shared,
        };
        watching.tree.refresh_all();
        watching.follow();
        watching.skills = watching.tree.skills();
        watching.show();
        watching
    }

    /// Tells changes until the watcher is dropped.
    pub(super) fn run(mut self, signals: &Receiver<Signal>) {
        let mut look = Instant::now() + self.options.interval;
        loop {
            let due = self.pending.due(self.options.debounce);
            let wake = due.map_or(look, |due| due.min(look));
            match signals.recv_timeout(wake.saturating_duration_since(Instant::now())) {
                Ok(Signal::Event(event)) => self.note(event),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if now >= look {
                let told = if self.watches.is_some() {
                    self.look_at_roots(now);
                    Ok(())
                } else {
                    self.tree.refresh_all();
                    self.tell()
                };
                if told.is_err() {
                    return;
                }
                look = now
                    + self
                        .options
                        .interval
                        .max(now.elapsed() * (POLLING_SHARE - 1));
            }
            let due = self.pending.due(self.options.debounce);
            if due.is_some_and(|due| now >= due) && self.settle().is_err() {
                return;
            }
        }
    }

    fn note(&mut self, event: notify::Result<Event>) {
        let Some(watches) = &self.watches else {
            return;
        };
        match event {
            Ok(event) if !event.need_rescan() => {
                let concerned = watches.concerned(&event);
                // An event of a folder that is not watched any more is old.
                if concerned.is_empty() {
                    return;
                }
                self.pending.folders.extend(concerned);
                if displaces(&event) {
                    self.pending.displaced.extend(event.paths);
                }
            }
            // Events were lost.
            _ => self.pending.everything = true,
        }
        self.pending.touch(Instant::now());
    }

    fn look_at_roots(&mut self, now: Instant) {
        let moved = self.tree.moved_roots();
        if !moved.is_empty() && self.pending.roots != moved {
            self.pending.roots = moved;
            self.pending.touch(now);
        }
    }

    /// Looks at what was reported and tells what changed.
    fn settle(&mut self) -> Result<(), Unheard> {
        let pending = std::mem::take(&mut self.pending);
        if let Some(watches) = &mut self.watches {
            for path in &pending.displaced {
                watches.drop_below(path);
            }
            if pending.everything {
                watches.drop_below("/".as_ref());
            }
        }
        if pending.everything {
            self.tree.refresh_all();
        }
        for root in &pending.roots {
            self.tree.refresh(root, Depth::All);
        }
        let folders: Vec<_> = self
            .tree
            .folders()
            .filter(|(_, identity)| pending.folders.contains(identity))
            .map(|(path, _)| path.to_owned())
            .collect();
        self.refresh(folders);
        self.follow();
        self.tell()
    }

    fn refresh(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        for folder in folders {
            // Looking at one may have shown that the next is gone.
            if self.tree.knows(&folder) {
                self.tree.refresh(&folder, Depth::New);
            }
        }
    }

    /// Watches what is new, and looks at it again: it may have changed before it was watched.
    fn follow(&mut self) {
        // New folders can only appear for so long.
        for _ in 0..16 {
            let Some(watches) = &mut self.watches else {
                break;
            };
            if self.tree.folders().len() > self.options.max_folders {
                self.poll(PollingReason::TooManyFolders);
                break;
            }
            match watches.follow(&self.tree) {
                Ok(fresh) if fresh.is_empty() => break,
                Ok(fresh) => self.refresh(fresh),
                Err(Exhausted) => self.poll(PollingReason::Unsupported),
            }
        }
    }

    fn poll(&mut self, reason: PollingReason) {
        self.watches = None;
        self.mode = WatchMode::Polling(reason);
    }

    /// Tells which skills are not as they were.
    fn tell(&mut self) -> Result<(), Unheard> {
        let before = std::mem::replace(&mut self.skills, self.tree.skills());
        self.show();
        let removed = before
            .keys()
            .filter(|skill| !self.skills.contains_key(*skill))
            .map(|skill| (skill, ChangeKind::Removed));
        let changed = self
            .skills
            .iter()
            .filter(|(skill, stamp)| before.get(*skill) != Some(stamp))
            .map(|(skill, _)| (skill, ChangeKind::Changed));
        let news: BTreeMap<_, _> = removed.chain(changed).collect();
        for (skill, kind) in news {
            let change = Change {
                skill_dir: skill.clone(),
                kind,
            };
            self.changes.send(change).map_err(|_| Unheard)?;
        }
        Ok(())
    }

    /// Lets others see what is being done.
    fn show(&self) {
        let mut state = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        *state = WatchState {
            mode: self.mode,
            folders: self.tree.folders().len(),
            left_out: self.tree.left_out(),
        };
    }
}

impl Pending {
    fn touch(&mut self, now: Instant) {
        let first = self.first_and_last.map_or(now, |(first, _)| first);
        self.first_and_last = Some((first, now));
    }

    /// When it should be looked at, if there is anything.
    fn due(&self, debounce: Duration) -> Option<Instant> {
        self.first_and_last
            .map(|(first, last)| (last + debounce).min(first + debounce * PATIENCE))
    }
}
