//! The caches of Python in a skill, which say nothing of what they hold.
//!
//! What Python leaves behind in `__pycache__` is no edit of a skill, because it does so wherever a script
//! is started by hand. But it also loads what somebody else put there, in place of the source that was
//! checked. So commands are not shown it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// How many folders of a skill are looked at, as deep as its files may lie.
const MOST: usize = 5_000;
const DEPTH: usize = 16;

/// The caches in a folder and below it, of which none is a link.
pub(super) fn of(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((folder, depth)) = waiting.pop() {
        looked_at += 1;
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|each| each.file_type().is_ok_and(|kind| kind.is_dir()));
        for entry in folders {
            if entry.file_name() == "__pycache__" {
                found.push(entry.path());
            } else if depth < DEPTH && looked_at < MOST {
                waiting.push((entry.path(), depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// What makes Python pass over all caches, where they cannot be hidden: they lie where nothing can.
pub(super) fn passed_over() -> (OsString, OsString) {
    ("PYTHONPYCACHEPREFIX".into(), "/dev/null".into())
}
