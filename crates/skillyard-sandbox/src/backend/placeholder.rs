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

use crate::profile::Profile;

/// A mode that no folder has by accident.
const MARK: u32 = 0o1500;

/// The placeholders of one run; they go when it ends.
pub(crate) struct Placeholders {
    made: Vec<Placeholder>,
}

struct Placeholder {
    source: PathBuf,
    target: PathBuf,
    lock: File,
}

impl Placeholders {
    /// Puts a placeholder wherever a protected place is missing.
    pub(crate) fn make(profile: &Profile) -> io::Result<Self> {
        let mut made: Vec<Placeholder> = Vec::new();
        for mount in profile.writable() {
            for place in &profile.protected {
                let Some(missing) = first_missing(&mount.source, place) else {
                    continue;
                };
                let source = mount.source.join(&missing);
                if made.iter().any(|each| each.source == source) {
                    continue;
                }
                made.push(Placeholder {
                    lock: hold(&source)?,
                    target: mount.target.join(&missing),
                    source,
                });
            }
        }
        Ok(Self { made })
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
            // Another run may need it still; the last one removes it.
            let _ = placeholder.lock.unlock();
            if placeholder.lock.try_lock().is_ok() && is_ours(&placeholder.source) {
                let _ = fs::remove_dir(&placeholder.source);
            }
        }
    }
}

/// The shortest beginning of `place` that is not there, or is a placeholder of another run.
fn first_missing(root: &Path, place: &Path) -> Option<PathBuf> {
    let beginnings: Vec<&Path> = place.ancestors().collect();
    let mut beginnings = beginnings.into_iter().rev().skip(1);
    let missing = beginnings.find(|each| {
        let path = root.join(each);
        fs::symlink_metadata(&path).is_err() || is_ours(&path)
    })?;
    Some(missing.to_owned())
}

fn is_ours(path: &Path) -> bool {
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
    use crate::profile::{Access, Mount};

    fn profile(root: &Path) -> Profile {
        Profile {
            mounts: vec![Mount::new(root, Access::Write)],
            protected: [".git/hooks", ".git/config", ".envrc", "there"]
                .map(PathBuf::from)
                .into(),
            ..Profile::default()
        }
    }

    #[test]
    fn the_last_run_removes_what_the_first_one_made() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("there")).unwrap();
        let profile = profile(root.path());
        let names = || {
            let entries = fs::read_dir(root.path()).unwrap();
            let mut names: Vec<_> = entries.map(|each| each.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let first = Placeholders::make(&profile).unwrap();
        assert_eq!(names(), [".envrc", ".git", "there"]);
        assert_eq!(first.places().count(), 2);
        let second = Placeholders::make(&profile).unwrap();
        drop(first);
        assert_eq!(names(), [".envrc", ".git", "there"]);
        drop(second);
        assert_eq!(names(), ["there"]);
    }

    #[test]
    fn an_empty_folder_of_the_user_stays() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(".git/hooks")).unwrap();
        let made = Placeholders::make(&profile(root.path())).unwrap();
        let places: Vec<_> = made.places().map(|(path, _)| path.to_owned()).collect();
        let expected = [".git/config", ".envrc", "there"].map(|each| root.path().join(each));
        assert_eq!(places, expected);
        drop(made);
        assert!(root.path().join(".git/hooks").is_dir());
    }
}
