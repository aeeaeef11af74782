//! Folders that one process works in, and that nobody needs once it has ended.
//!
//! Each is locked by its process. One that is not locked was left by a process that was
//! killed, and the next one removes it. The folder around them is locked while one is made, so that
//! none is seen that its process has not locked yet.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use skillyard_catalog::private_dir;
use skillyard_catalog::private_dir::LeftoverFolder;

use crate::flock::{Flock, Hold};

/// A fresh folder that only its owner can enter, removed when this is dropped.
#[derive(Debug)]
pub struct Staging {
    folder: tempfile::TempDir,
    _lock: Flock,
}

impl Staging {
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        private_dir::create(parent)?;
        sweep(parent)?;
        let _making = Flock::folder(parent, Hold::Shared)?;
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
pub(crate) fn sweep(parent: &Path) -> io::Result<Vec<LeftoverFolder>> {
    let entries = match std::fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut stuck = Vec::new();
    for entry in entries.flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        if let Err(source) = remove_unheld(parent, &path) {
            stuck.push(LeftoverFolder { path, source });
        }
    }
    Ok(stuck)
}

/// Removes a folder, unless somebody works in it.
fn remove_unheld(parent: &Path, folder: &Path) -> io::Result<()> {
    use io::ErrorKind::NotFound;
    let removed = unheld(parent, folder).and_then(|lock| match lock {
        Some(_lock) => private_dir::remove(folder),
        None => Ok(()),
    });
    match removed {
        // Another process may be sweeping the same.
        Err(error) if error.kind() == NotFound => Ok(()),
        other => other,
    }
}

/// The lock on a folder that nobody works in, nor is about to.
fn unheld(parent: &Path, folder: &Path) -> io::Result<Option<Flock>> {
    let _making = Flock::folder(parent, Hold::Alone)?;
    match Flock::try_folder(folder) {
        // What is closed was closed by what lies in it: a process keeps its own folder open.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            private_dir::make_accessible(folder)?;
            Flock::try_folder(folder)
        }
        lock => lock,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_works_in_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("left");
        std::fs::create_dir_all(left.join("git/objects")).unwrap();
        let used = Staging::new(parent.path()).unwrap();
        let other = Staging::new(parent.path()).unwrap();
        assert!(!left.exists());
        assert!(used.path().exists() && other.path().exists());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn who_makes_one_is_waited_for() {
        let parent = tempfile::tempdir().unwrap();
        let made = parent.path().join("made");
        let making = Flock::folder(parent.path(), Hold::Shared).unwrap();
        std::fs::create_dir(&made).unwrap();
        let swept = std::thread::scope(|scope| {
            let sweeping = scope.spawn(|| sweep(parent.path()).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(50));
            let _lock = Flock::folder(&made, Hold::Alone).unwrap();
            drop(making);
            sweeping.join().unwrap()
        });
        assert!(swept.is_empty() && made.exists());
    }

    #[test]
    fn what_was_closed_to_its_owner_is_removed_too() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("left");
        let inner = left.join("git/objects");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("pack"), "x").unwrap();
        for folder in [&inner, &left.join("git"), &left] {
            let closed = std::fs::Permissions::from_mode(0o000);
            std::fs::set_permissions(folder, closed).unwrap();
        }
        assert!(sweep(parent.path()).unwrap().is_empty());
        assert!(!left.exists());
    }
}
