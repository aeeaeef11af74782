//! The way of a search through the workspace: which files it comes to.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::gitignore::Gitignore;

/// Whether a search comes to files whose names begin with a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// They are passed over, unless it is told to begin at one.
    PassedOver,
    /// It comes to them.
    Shown,
}

/// A way through a folder of the workspace.
pub(super) struct Way {
    pub(super) entries: ignore::Walk,
    /// Becomes true when something hidden is passed over.
    pub(super) has_hidden: Arc<AtomicBool>,
}

/// The way to `under`, a folder or file below the workspace, and all that is in it. It begins at
/// the top, where ignored files are named, follows no link on its way down, and never comes to
/// `.git`.
pub(super) fn way(folder: &Path, under: &Path, hidden: Hidden) -> Way {
    let (top, under) = (folder.to_owned(), under.to_owned());
    let has_hidden = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&has_hidden);
    let entries = ignore::WalkBuilder::new(folder)
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .parents(heeds_parents(folder))
        .sort_by_file_path(Ord::cmp)
        .filter_entry(move |entry| {
            let Ok(below) = entry.path().strip_prefix(&top) else {
                return false;
            };
            if under.starts_with(below) {
                return entry.file_name() != ".git" || entry.depth() == 0;
            }
            let name = entry.file_name().as_encoded_bytes();
            if !below.starts_with(&under) || name == b".git" {
                return false;
            }
            let is_passed = hidden == Hidden::PassedOver && name.starts_with(b".");
            if is_passed {
                seen.store(true, Ordering::Relaxed);
            }
            !is_passed
        })
        .build();
    Way {
        entries,
        has_hidden,
    }
}

/// Whether files above the workspace say what is ignored in it: those of the repository that it is
/// a folder of, unless they ignore the whole workspace. Many a home has a `.gitignore` of `*`.
fn heeds_parents(folder: &Path) -> bool {
    let is_repository = |each: &&Path| each.join(".git").exists();
    let Some(top) = folder.ancestors().find(is_repository) else {
        return false;
    };
    let mut above = folder.ancestors().skip(1);
    top != folder
        && !above.any(|each| {
            each.starts_with(top) && {
                let (rules, _) = Gitignore::new(each.join(".gitignore"));
                let found = rules.matched_path_or_any_parents(folder, true);
                found.is_ignore()
            }
        })
}
