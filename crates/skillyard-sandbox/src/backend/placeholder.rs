//! Something in the place of what must not come into being.
//!
//! A file that is not there cannot be made read-only, and a program that can write to a folder
//! could make it: a hook, a configuration, instructions for the next agent. An empty folder
//! takes its place while the program runs; its mode says that it is ours, and a lock on it
//! says that somebody still needs it.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::guard::Guard;
use super::note::Note;
use crate::profile::Mount;

/// A mode that no folder has by accident.
const MARK: u32 = 0o1500;

/// The placeholders of one run; they go when it ends.
pub(crate) struct Placeholders {
    made: Vec<Placeholder>,
    _note: Option<Note>,
}

struct Placeholder {
    source: PathBuf,
    target: PathBuf,
    lock: File,
}

impl Placeholders {
    /// Puts a placeholder wherever a protected place is missing, and writes that down in the
    /// folder for notes.
    pub(crate) fn make(guards: &[(&Mount, Guard)], notes: Option<&Path>) -> io::Result<Self> {
        let missing = guards.iter().flat_map(|(mount, guard)| {
            let missing = guard.missing.iter();
            missing.map(|place| (mount.source.join(place), mount.target.join(place)))
        });
        let missing: Vec<(PathBuf, PathBuf)> = missing.collect();
        let places = missing.iter().map(|(source, _)| source.as_path());
        let mut all = Self {
            made: Vec::with_capacity(missing.len()),
            _note: match notes.filter(|_| !missing.is_empty()) {
                Some(notes) => Some(Note::write(notes, places)?),
                None => None,
            },
        };
        for (source, target) in missing {
            // What was made so far goes when the next one cannot be made.
            let lock = hold(&source)?;
            all.made.push(Placeholder {
                source,
                target,
                lock,
            });
        }
        Ok(all)
    }

    /// Where they are, and where the program would find them.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&Path, &Path)> {
        let places = self.made.iter();
        places.map(|each| (each.source.as_path(), each.target.as_path()))
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for placeholder in self.made.iter().rev() {
            let _ = placeholder.lock.unlock();
            remove(&placeholder.source);
        }
    }
}

/// Removes a placeholder, unless another run needs it still: the last one removes it.
pub(super) fn remove(path: &Path) {
    if is_ours(path)
        && let Ok(folder) = File::open(path)
        && folder.try_lock().is_ok()
    {
        let _ = fs::remove_dir(path);
    }
}

/// Whether a placeholder stands there.
pub(crate) fn is_ours(path: &Path) -> bool {
    fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o7777 == MARK)
}

/// Makes the placeholder, or joins those who need it.
fn hold(path: &Path) -> io::Result<File> {
    loop {
        match DirBuilder::new().mode(0o500).create(path) {
            Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(MARK))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let folder = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        folder.lock_shared()?;
        // It may have been removed between the two; then what we hold is nothing.
        let held = folder.metadata()?;
        if fs::symlink_metadata(path).is_ok_and(|there| there.ino() == held.ino()) {
            return Ok(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::note;
    use crate::profile::Access;

    fn made(root: &Path, notes: Option<&Path>) -> Placeholders {
        let mount = Mount::new(root, Access::Write);
        let places = [".git/hooks", ".git/config", ".envrc", "there"].map(PathBuf::from);
        let guard = Guard::of(root, &places).unwrap();
        Placeholders::make(&[(&mount, guard)], notes).unwrap()
    }

    fn names(root: &Path) -> Vec<std::ffi::OsString> {
        let entries = fs::read_dir(root).unwrap();
        let mut names: Vec<_> = entries.map(|each| each.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_last_run_removes_what_the_first_one_made() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("there")).unwrap();
        let first = made(root.path(), None);
        assert_eq!(names(root.path()), [".envrc", ".git", "there"]);
        assert_eq!(first.places().count(), 2);
        let second = made(root.path(), None);
        drop(first);
        assert_eq!(names(root.path()), [".envrc", ".git", "there"]);
        drop(second);
        assert_eq!(names(root.path()), ["there"]);
    }

    #[test]
    fn an_empty_folder_of_the_user_stays() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(".git/hooks")).unwrap();
        let made = made(root.path(), None);
        let places: Vec<_> = made.places().map(|(path, _)| path.to_owned()).collect();
        let expected = [".envrc", ".git/config", "there"].map(|each| root.path().join(each));
        assert_eq!(places, expected);
        drop(made);
        assert!(root.path().join(".git/hooks").is_dir());
    }

    #[test]
    fn what_a_killed_run_left_goes_with_the_next_command() {
        let (root, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(root.path().join("there")).unwrap();
        let run = made(root.path(), Some(notes.path()));
        // While it runs nobody takes anything from it.
        note::tidy(notes.path());
        assert_eq!(names(root.path()), [".envrc", ".git", "there"]);
        // A killed process does nothing any more, and its locks are gone.
        let note = names(notes.path()).pop().unwrap();
        let text = fs::read(notes.path().join(&note)).unwrap();
        drop(run);
        for name in [".envrc", ".git"] {
            drop(hold(&root.path().join(name)).unwrap());
        }
        fs::write(notes.path().join(note), text).unwrap();
        note::tidy(notes.path());
        assert_eq!(names(root.path()), ["there"]);
        assert_eq!(names(notes.path()).len(), 0);
    }
}
