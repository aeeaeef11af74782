//! Something in the place of what must not come into being.
//!
//! A file that is not there cannot be made read-only, and a program that can write to a folder
//! could make it: a hook, a configuration, instructions for the next agent. An empty folder
//! takes its place while the program runs; its mode says that it is ours, and a lock on it
//! says that somebody still needs it.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::beneath::{Inode, Root};

/// A mode that no folder has by accident.
const MARK: u32 = 0o1500;

/// The mode of one that is being made, where folders are not made with the mark.
const UNMARKED: u32 = 0o500;

/// How often somebody may remove it between two steps.
const MAX_TRIES: usize = 100;

/// The placeholders of one run; they go when it ends.
#[derive(Default)]
pub(crate) struct Placeholders {
    made: Vec<Placeholder>,
}

struct Placeholder {
    root: Rc<Root>,
    place: PathBuf,
    lock: File,
}

impl Placeholders {
    /// Puts a placeholder where a protected place is missing.
    pub(crate) fn make(&mut self, root: &Rc<Root>, place: &Path) -> io::Result<()> {
        // What was made so far goes when the next one cannot be made.
        self.made.push(Placeholder {
            lock: hold(root, place)?,
            root: Rc::clone(root),
            place: place.to_owned(),
        });
        Ok(())
    }

    /// Those in a folder: where they are, and what.
    pub(crate) fn of(&self, root: &Rc<Root>) -> impl Iterator<Item = (&Path, &File)> {
        let own = self.made.iter();
        let own = own.filter(move |each| Rc::ptr_eq(&each.root, root));
        own.map(|each| (each.place.as_path(), &each.lock))
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for placeholder in self.made.iter().rev() {
            let _ = placeholder.lock.unlock();
            remove(&placeholder.root, &placeholder.place);
        }
    }
}

/// Removes a placeholder, unless another run needs it still: the last one removes it.
pub(super) fn remove(root: &Root, place: &Path) {
    if let Ok(folder) = root.folder_of(place)
        && let Ok(found) = open(&folder, name(place))
        && mode(&found).is_ok_and(|mode| mode == MARK)
        && found.try_lock().is_ok()
    {
        let _ = rustix::fs::unlinkat(&folder, name(place), AtFlags::REMOVEDIR);
    }
}

/// Whether a placeholder stands there.
pub(crate) fn is_ours(path: &Path) -> bool {
    fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o7777 == MARK)
}

/// Makes the placeholder, or joins those who need it.
fn hold(root: &Root, place: &Path) -> io::Result<File> {
    let (folder, name) = (root.folder_of(place)?, name(place));
    for _ in 0..MAX_TRIES {
        let is_new = make(&folder, name)?;
        let found = match open(&folder, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        match mode(&found)? {
            UNMARKED if is_new => found.set_permissions(Permissions::from_mode(MARK))?,
            MARK | UNMARKED => {}
            // Something else has come into being there.
            _ => return Err(Errno::EXIST.into()),
        }
        found.lock_shared()?;
        // It may have been removed between the two; then what we hold is nothing.
        let now = open(&folder, name);
        if now.is_ok_and(|now| Inode::of(&now).ok() == Inode::of(&found).ok()) {
            return Ok(found);
        }
    }
    Err(Errno::EXIST.into())
}

/// Makes the folder, unless something is there. A process that is killed now leaves one with the mark,
/// which can be removed.
fn make(folder: &File, name: &OsStr) -> io::Result<bool> {
    match rustix::fs::mkdirat(folder, name, Mode::RUSR | Mode::XUSR | Mode::SVTX) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Opens a folder that is no link.
fn open(folder: &File, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?.into())
}

fn mode(folder: &File) -> io::Result<u32> {
    Ok(folder.metadata()?.permissions().mode() & 0o7777)
}

fn name(place: &Path) -> &OsStr {
    place.file_name().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::guard::Guard;
    use crate::backend::note::{self, Note, Text};

    fn made(root: &Path, notes: Option<&Path>) -> (Placeholders, Option<Note>) {
        let places = [".git/hooks", ".git/config", ".envrc", "there"].map(PathBuf::from);
        let guard = Guard::of(root, &places).unwrap();
        let root = Rc::new(Root::open(root).unwrap());
        let (mut text, mut made) = (Text::default(), Placeholders::default());
        for place in &guard.missing {
            text.place(&root, place);
        }
        let note = notes.map(|notes| Note::write(notes, &text).unwrap());
        for place in &guard.missing {
            made.make(&root, place).unwrap();
        }
        (made, note)
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
        let (first, _) = made(root.path(), None);
        assert_eq!(names(root.path()), [".envrc", ".git", "there"]);
        assert_eq!(first.made.len(), 2);
        let (second, _) = made(root.path(), None);
        drop(first);
        assert_eq!(names(root.path()), [".envrc", ".git", "there"]);
        drop(second);
        assert_eq!(names(root.path()), ["there"]);
    }

    #[test]
    fn an_empty_folder_of_the_user_stays() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(".git/hooks")).unwrap();
        let (made, _) = made(root.path(), None);
        let places: Vec<_> = made.made.iter().map(|each| each.place.clone()).collect();
        assert_eq!(
            places,
            [".envrc", ".git/config", "there"].map(PathBuf::from)
        );
        drop(made);
        assert!(root.path().join(".git/hooks").is_dir());
    }

    #[test]
    fn what_has_come_into_being_meanwhile_is_not_taken_for_a_placeholder() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let open = Root::open(root.path()).unwrap();
        fs::create_dir(root.path().join("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        for place in ["folder", "link", "link/new"] {
            assert!(hold(&open, Path::new(place)).is_err(), "{place}");
        }
        assert_eq!(names(outside.path()).len(), 0);
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
        let open = Root::open(root.path()).unwrap();
        for name in [".envrc", ".git"] {
            drop(hold(&open, Path::new(name)).unwrap());
        }
        fs::write(notes.path().join(note), text).unwrap();
        assert_eq!(note::tidy(notes.path()), []);
        assert_eq!(names(root.path()), ["there"]);
        assert_eq!(names(notes.path()).len(), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn one_whose_run_was_killed_while_it_made_it_goes() {
        let root = tempfile::tempdir().unwrap();
        let open = Root::open(root.path()).unwrap();
        let place = Path::new(".envrc");
        assert!(make(&open.folder_of(place).unwrap(), name(place)).unwrap());
        remove(&open, place);
        assert_eq!(names(root.path()).len(), 0);
    }
}
