//! The way of a search through the workspace: which files it comes to.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use skillyard_catalog::ignored::IgnoreFiles;

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
    let ignored = ignored_around(folder);
    let entries = ignore::WalkBuilder::new(folder)
        // Ignore files come with a checkout, and are read with care.
        .standard_filters(false)
        .follow_links(false)
        .sort_by_file_path(Ord::cmp)
        .filter_entry(move |entry| {
            let Ok(below) = entry.path().strip_prefix(&top) else {
                return false;
            };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if entry.depth() > 0 && ignored.is_ignored(entry.path(), is_folder) {
                return false;
            }
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

/// The files that say what is ignored, the last word last.
const LISTS: [&str; 2] = [".gitignore", ".ignore"];

/// What is ignored in a workspace: by the lists in it, and by those above it of the repository that it
/// is a folder of, unless they ignore all of it. Many a home has a `.gitignore` of `*`.
fn ignored_around(folder: &Path) -> IgnoreFiles {
    let is_repository = |each: &&Path| each.join(".git").exists();
    let top = folder.ancestors().find(is_repository);
    let heeding = top.and_then(|top| {
        let lists = IgnoreFiles::below(top, &LISTS);
        let mut parts = folder.ancestors();
        let is_whole =
            parts.any(|part| part != top && part.starts_with(top) && lists.is_ignored(part, true));
        (!is_whole).then_some(lists)
    });
    heeding.unwrap_or_else(|| IgnoreFiles::below(folder, &LISTS))
}
