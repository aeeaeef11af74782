//! The caches of Python in a skill, which say nothing of what they hold.
//!
//! What Python leaves behind in `__pycache__` is no edit of a skill, because it does so wherever a script
//! is started by hand. But it also loads what somebody else put there, in place of the source that was
//! checked. So commands are not shown it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use skillyard_catalog::resource::{MAX_DEPTH, MAX_FOLDERS};

/// The caches in a folder and below it.
#[derive(Default)]
pub(super) struct Caches {
    /// Their folders, of which none is a link.
    pub(super) folders: Vec<PathBuf>,
    /// Whether there may be more: the folder is larger, or deeper, than a skill can be.
    pub(super) may_be_more: bool,
}

impl Caches {
    /// Those in a folder and below it.
    pub(super) fn of(folder: &Path) -> Self {
        let mut found = Self::default();
        let mut waiting = vec![(folder.to_owned(), 0)];
        let mut looked_at = 0;
        while let Some((folder, depth)) = waiting.pop() {
            looked_at += 1;
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            let folders = entries.filter(|each| each.file_type().is_ok_and(|kind| kind.is_dir()));
            for entry in folders {
                if entry.file_name() == "__pycache__" {
                    found.folders.push(entry.path());
                } else if depth < MAX_DEPTH && looked_at + waiting.len() < MAX_FOLDERS {
                    waiting.push((entry.path(), depth + 1));
                } else {
                    found.may_be_more = true;
                }
            }
        }
        found.folders.sort();
        found
    }
}

/// What makes Python pass over all caches, where they cannot be hidden: they lie where nothing can.
pub(super) fn passed_over() -> (OsString, OsString) {
    ("PYTHONPYCACHEPREFIX".into(), "/dev/null".into())
}
