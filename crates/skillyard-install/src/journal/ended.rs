//! The journals of a home: those of changes that may not have ended, and those that are over.
//!
//! A disk that is told of everything that becomes free can take longer to take a journal back than all
//! else at the end of a change. So one whose change is done only loses its name there, in one step as
//! if it were removed, and is removed while the next command begins.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// How the name of a journal ends.
const JOURNAL: &str = "json";

/// How it ends when its change is over.
const OVER: &str = "over";

/// The journals of changes that may not have ended.
pub(crate) fn journals(skillyard_home: &Path) -> Vec<PathBuf> {
    let mut paths = all(skillyard_home);
    paths.retain(|path| has_ending(path, JOURNAL));
    paths
}

/// Takes the journal of a change away that is done.
pub(crate) fn set_aside(journal: &Path) -> io::Result<()> {
    std::fs::rename(journal, journal.with_extension(OVER))
        .or_else(|_| std::fs::remove_file(journal))
}

/// Waits until that is on the disk, and with it all that happened before.
pub(crate) fn wait_for_end(journal: &Path) -> io::Result<()> {
    File::open(journal.parent().unwrap_or(journal))?.sync_all()
}

/// The same, and those that are over are removed. One look is enough: who ends a change meanwhile
/// takes its journal away as well.
pub(super) fn cleared(skillyard_home: &Path) -> Vec<PathBuf> {
    let mut paths = all(skillyard_home);
    let over = paths.extract_if(.., |path| has_ending(path, OVER));
    remove(over.collect());
    paths.retain(|path| has_ending(path, JOURNAL));
    paths
}

/// Removes journals, beside everything else where another thread could do that.
fn remove(over: Vec<PathBuf>) {
    if over.is_empty() {
        return;
    }
    let remove = move || {
        for journal in over {
            // Somebody else was quicker, or the next command tries again.
            let _ = std::fs::remove_file(journal);
        }
    };
    if rayon::current_thread_index().is_some() {
        rayon::spawn(remove);
    } else {
        remove();
    }
}

fn all(skillyard_home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(skillyard_home.join("journal"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_over_is_no_journal_and_goes_with_the_next_command() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("journal");
        std::fs::create_dir(&folder).unwrap();
        let (over, left) = (folder.join("project-1.json"), folder.join("project-2.json"));
        let draft = folder.join(".project-3.json.tmp");
        for path in [&over, &left, &draft] {
            std::fs::write(path, "{}").unwrap();
        }
        set_aside(&over).unwrap();
        assert!(!over.exists());
        assert_eq!(journals(home.path()), std::slice::from_ref(&left));
        assert_eq!(cleared(home.path()), std::slice::from_ref(&left));
        let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        names.sort();
        // Another process may be about to publish its draft.
        assert_eq!(names, [draft, left]);
    }
}
