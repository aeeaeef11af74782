//! Folders that one process works in, and that nobody needs once it has ended.
//!
//! Each is locked by its process. One that is not locked was left by a process that was
//! killed, and the next one that needs such a folder removes it.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use skillyard_catalog::own_folder::{self, Stuck};

use crate::flock::{Flock, Hold};

/// A folder this young may belong to a process that has not locked it yet.
const YOUNG: Duration = Duration::from_mins(1);

/// A fresh folder that only its owner can enter, removed when this is dropped.
#[derive(Debug)]
pub struct Staging {
    folder: tempfile::TempDir,
    _lock: Flock,
}

impl Staging {
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        own_folder::make(parent)?;
        sweep(parent)?;
        let folder = tempfile::Builder::new()
            .permissions(std::fs::Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        let lock = Flock::folder(folder.path(), Hold::Alone)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes what processes that were killed left behind, and says what cannot be removed.
pub(crate) fn sweep(parent: &Path) -> io::Result<Vec<Stuck>> {
    let entries = match std::fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut stuck = Vec::new();
    for entry in entries.flatten() {
        let found = entry.metadata();
        let is_folder = found.as_ref().is_ok_and(std::fs::Metadata::is_dir);
        let modified = found.and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| time.elapsed().ok());
        if !is_folder || age.is_none_or(|age| age < YOUNG) {
            continue;
        }
        let path = entry.path();
        if let Err(source) = remove_unheld(&path) {
            stuck.push(Stuck { path, source });
        }
    }
    Ok(stuck)
}

/// Removes a folder, unless somebody works in it.
fn remove_unheld(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{NotFound, PermissionDenied};
    let lock = match Flock::try_folder(folder) {
        // What is closed was closed by what lies in it: a process keeps its own folder open.
        Err(error) if error.kind() == PermissionDenied => {
            own_folder::open(folder)?;
            Flock::try_folder(folder)
        }
        lock => lock,
    };
    let removed = lock.and_then(|lock| match lock {
        Some(_lock) => own_folder::remove(folder),
        None => Ok(()),
    });
    match removed {
        // Another process may be sweeping the same.
        Err(error) if error.kind() == NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::SystemTime;

    fn age(folder: &Path) {
        let long_ago = SystemTime::now() - Duration::from_hours(1);
        File::open(folder).unwrap().set_modified(long_ago).unwrap();
    }

    #[test]
    fn only_what_nobody_works_in_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("left");
        std::fs::create_dir_all(left.join("git/objects")).unwrap();
        let young = parent.path().join("young");
        std::fs::create_dir(&young).unwrap();
        age(&left);
        let used = Staging::new(parent.path()).unwrap();
        age(used.path());
        let other = Staging::new(parent.path()).unwrap();
        assert!(!left.exists());
        assert!(young.exists() && used.path().exists() && other.path().exists());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn what_was_closed_to_its_owner_is_removed_too() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("left");
        let inner = left.join("git/objects");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("pack"), "x").unwrap();
        age(&left);
        for folder in [&inner, &left.join("git"), &left] {
            let closed = std::fs::Permissions::from_mode(0o000);
            std::fs::set_permissions(folder, closed).unwrap();
        }
        assert!(sweep(parent.path()).unwrap().is_empty());
        assert!(!left.exists());
    }
}
