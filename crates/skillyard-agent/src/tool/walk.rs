//! The way of a search through the workspace: which files it comes to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::Gitignore;
use skillyard_catalog::ignored::patterns;

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
    let ignored = Ignored::around(folder);
    let entries = ignore::WalkBuilder::new(folder)
        // Lists of what is ignored come with a checkout, and are read with care.
        .standard_filters(false)
        .follow_links(false)
        .sort_by_file_path(Ord::cmp)
        .filter_entry(move |entry| {
            let Ok(below) = entry.path().strip_prefix(&top) else {
                return false;
            };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if entry.depth() > 0 && ignored.has(entry.path(), is_folder) {
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

/// What is ignored in a workspace.
struct Ignored {
    /// The outermost folder whose lists count.
    top: PathBuf,
    /// The patterns of each folder that something was asked of.
    known: Mutex<HashMap<PathBuf, Option<Arc<Gitignore>>>>,
}

impl Ignored {
    /// By the lists in a workspace, and by those above it of the repository that it is a folder of,
    /// unless they ignore all of it. Many a home has a `.gitignore` of `*`.
    fn around(folder: &Path) -> Self {
        let is_repository = |each: &&Path| each.join(".git").exists();
        let repository = folder.ancestors().find(is_repository);
        let within = |top: &Path| Self {
            top: top.to_owned(),
            known: Mutex::default(),
        };
        let heeding = repository.map(within).filter(|ignored| {
            let mut parts = folder.ancestors();
            !parts.any(|part| {
                part != ignored.top && part.starts_with(&ignored.top) && ignored.has(part, true)
            })
        });
        heeding.unwrap_or_else(|| within(folder))
    }

    /// Whether a path is, which no folder around it is.
    fn has(&self, path: &Path, is_folder: bool) -> bool {
        let around = path.ancestors().skip(1);
        let mut around = around.take_while(|each| each.starts_with(&self.top));
        let said =
            around.find_map(
                |folder| match self.patterns(folder)?.matched(path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                },
            );
        said.unwrap_or(false)
    }

    fn patterns(&self, folder: &Path) -> Option<Arc<Gitignore>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || patterns(folder, LISTS.into_iter()).map(Arc::new);
        known.entry(folder.to_owned()).or_insert_with(read).clone()
    }
}
