//! The watches the system holds for us, one for each folder.
//!
//! A folder is watched once, under the path it has without links, whatever paths lead to it: systems report an event
//! once for a folder, under one of its paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use notify::event::ModifyKind;
use notify::{Event, EventHandler, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::tree::{Identity, Tree};

/// The folders that are watched.
#[derive(Debug)]
pub(super) struct Watches {
    system: RecommendedWatcher,
    watched: BTreeMap<PathBuf, Identity>,
}

/// The system gives no more watches.
#[derive(Debug)]
pub(super) struct Exhausted;

impl Watches {
    /// No watches yet; `None` where the system has none to give.
    pub(super) fn new(handler: impl EventHandler) -> Option<Self> {
        Some(Self {
            system: notify::recommended_watcher(handler).ok()?,
            watched: BTreeMap::new(),
        })
    }

    /// Watches the folders of `tree` and no others, and returns those that were not watched before.
    pub(super) fn follow(&mut self, tree: &Tree) -> Result<BTreeSet<PathBuf>, Exhausted> {
        let mut wanted: HashMap<Identity, Vec<&Path>> = HashMap::new();
        for (path, identity) in tree.folders() {
            wanted.entry(identity).or_default().push(path);
        }
        let mut paths = self.system.paths_mut();
        self.watched.retain(|path, identity| {
            let keep = wanted.contains_key(identity);
            if !keep {
                // It fails for folders that were removed, whose watches went with them.
                let _ = paths.remove(path);
            }
            keep
        });
        for identity in self.watched.values() {
            wanted.remove(identity);
        }
        let mut fresh = BTreeSet::new();
        for (identity, folders) in wanted {
            // A folder that has gone meanwhile will be missed when its parent is looked at.
            let Some(path) = folders.iter().find_map(|folder| folder.canonicalize().ok()) else {
                continue;
            };
            match paths.add(&path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(path, identity);
                    fresh.extend(folders.into_iter().map(Path::to_owned));
                }
                Err(_) if !path.exists() => {}
                Err(_) => return Err(Exhausted),
            }
        }
        paths.commit().map_err(|_| Exhausted)?;
        Ok(fresh)
    }

    /// Which watched folders an event is about.
    pub(super) fn concerned(&self, event: &Event) -> BTreeSet<Identity> {
        let folders = event
            .paths
            .iter()
            .flat_map(|path| [Some(path.as_path()), path.parent()]);
        folders
            .flatten()
            .filter_map(|path| self.watched.get(path))
            .copied()
            .collect()
    }

    /// Drops the watches at and below a path that was moved or removed: they stay with what was there, or are gone.
    pub(super) fn drop_below(&mut self, path: &Path) {
        let below: Vec<_> = self
            .watched
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded))
            .map(|(watched, _)| watched.clone())
            .take_while(|watched| watched.starts_with(path))
            .collect();
        for watched in below {
            let _ = self.system.unwatch(&watched);
            self.watched.remove(&watched);
        }
    }
}

/// Whether something was written, and not only opened or read.
pub(super) fn matters(event: &notify::Result<Event>) -> bool {
    !matches!(event, Ok(event) if matches!(event.kind, EventKind::Access(_)) && !event.need_rescan())
}

/// Whether what was at the paths of an event may be elsewhere now.
pub(super) fn displaces(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) | EventKind::Any
    )
}
