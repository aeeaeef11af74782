//! Folders that one process works in, and that nobody needs once it has ended.
//!
//! Each is locked by its process. One that is not locked was left by a process that was
//! killed, and the next one that needs such a folder removes it.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use skillyard_catalog::own_folder;

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

/// Removes what processes that were killed left behind.
pub(crate) fn sweep(parent: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| time.elapsed().ok());
        if age.is_none_or(|age| age < YOUNG) {
            continue;
        }
        // Another process may be sweeping the same.
        if let Ok(Some(_lock)) = Flock::try_folder(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
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
}
