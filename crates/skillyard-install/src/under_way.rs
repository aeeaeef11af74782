//! Changes that somebody sees a part of: the folders change places one after the other, and the lock
//! last. Whoever reads meanwhile, or read the lock before it and a folder after it, must not take
//! that for an edit.

use std::path::Path;

use skillyard_format::Digest;

use crate::journal::{Journal, JournalState, Move, MoveContent};
use crate::lockfile::Lockfile;
use crate::scope::Scope;

/// Whether a change of a scope that is under way, or has just ended, puts files with this digest into
/// a folder.
pub fn puts(scope: &Scope, folder: &Path, digest: Digest) -> bool {
    is_under_way(scope, folder, digest) || is_locked(scope, folder, digest)
}

pub(crate) fn is_under_way(scope: &Scope, folder: &Path, digest: Digest) -> bool {
    let Ok(Some(journal)) = Journal::read(&scope.journal_file()) else {
        return false;
    };
    let JournalState::Committed(commit) = &journal.progress else {
        return false;
    };
    let whole = folder.canonicalize();
    let is_there = |place: &Path| {
        place == folder || whole.as_ref().is_ok_and(|whole| place == whole.as_path())
    };
    let is_it = |each: &Move| {
        let new = each.new.as_ref().map(|(_, content)| content);
        matches!(new, Some(MoveContent::Folder(new)) if *new == digest) && is_there(&each.place)
    };
    commit.moves.iter().any(is_it)
}

fn is_locked(scope: &Scope, folder: &Path, digest: Digest) -> bool {
    let name = folder.file_name();
    let lock = Lockfile::read(&scope.lock_file());
    lock.is_ok_and(|lock| {
        let mut skills = lock.skills().iter();
        skills.any(|each| {
            each.digest == digest && name.is_some_and(|name| name == each.name.as_str())
        })
    })
}
