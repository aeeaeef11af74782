//! A folder for what a run needs as long as it runs.
//!
//! Whoever is killed leaves it behind. A lock on the folder says that somebody still needs it, and it
//! ends with whoever holds it: the next run removes what nobody holds.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use skillyard_catalog::private_dir;
use skillyard_catalog::private_dir::LeftoverFolder;
use tempfile::TempDir;

/// What the names of these folders begin with; older versions held no lock on theirs.
const PREFIX: &str = "skillyard-run-";

/// How often somebody may remove it before it is held.
const MAX_TRIES: usize = 100;

/// A folder that goes when this is dropped, or else with the next run.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes a folder of this mode, and removes what killed runs left behind.
    pub fn make(temporary: &Path, mode: u32) -> io::Result<Self> {
        sweep(temporary);
        for _ in 0..MAX_TRIES {
            let folder = tempfile::Builder::new()
                .prefix(PREFIX)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(temporary)?;
            let Ok(lock) = File::open(folder.path()) else {
                continue;
            };
            lock.lock_shared()?;
            // Another run may have taken it for one that nobody holds, a moment ago.
            let there = fs::symlink_metadata(folder.path());
            let held = lock.metadata()?.ino();
            if there.is_ok_and(|there| there.ino() == held) {
                fs::set_permissions(folder.path(), Permissions::from_mode(mode))?;
                return Ok(Self {
                    folder,
                    _lock: lock,
                });
            }
        }
        Err(io::Error::other("others remove it at once"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes our own folders that nobody holds, and says which of them cannot be removed.
pub fn sweep(temporary: &Path) -> Vec<LeftoverFolder> {
    let mut stuck = Vec::new();
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    let ours = rustix::process::geteuid().as_raw();
    for entry in entries {
        let name = entry.file_name();
        if !name.to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // In a folder that everybody writes to, others may call theirs so.
        let is_ours = fs::symlink_metadata(entry.path())
            .is_ok_and(|there| there.is_dir() && there.uid() == ours);
        let path = entry.path();
        if is_ours && let Err(source) = remove_unheld(&path) {
            stuck.push(LeftoverFolder { path, source });
        }
    }
    stuck
}

/// Removes a folder, unless somebody holds it.
fn remove_unheld(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{NotFound, PermissionDenied};
    let opened = match File::open(folder) {
        // Nobody who holds one closes it to themselves.
        Err(error) if error.kind() == PermissionDenied => {
            private_dir::make_accessible(folder)?;
            File::open(folder)
        }
        opened => opened,
    };
    let removed = opened.and_then(|held| match held.try_lock() {
        Ok(()) => private_dir::remove(folder),
        Err(_) => Ok(()),
    });
    match removed {
        // Another run may remove the same.
        Err(error) if error.kind() == NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_goes_with_the_next() {
        let temporary = tempfile::tempdir().unwrap();
        let path = |name: &str| temporary.path().join(name);
        for name in ["skillyard-run-killed/skill", "skillyard-other", "theirs"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        std::os::unix::fs::symlink(path("theirs"), path("skillyard-run-link")).unwrap();
        let first = Scratch::make(temporary.path(), 0o711).unwrap();
        assert!(!path("skillyard-run-killed").exists());
        let second = Scratch::make(temporary.path(), 0o755).unwrap();
        for there in [first.path(), second.path()] {
            assert!(there.is_dir());
        }
        for name in ["skillyard-other", "theirs", "skillyard-run-link"] {
            assert!(path(name).exists(), "{name}");
        }
        let gone = first.path().to_owned();
        drop(first);
        assert!(!gone.exists());
    }

    #[test]
    fn what_was_closed_to_its_owner_goes_too() {
        let temporary = tempfile::tempdir().unwrap();
        let left = temporary.path().join("skillyard-run-killed");
        let inner = left.join("sandbox-1/closed");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("file"), "x").unwrap();
        for folder in [&inner, &left] {
            fs::set_permissions(folder, Permissions::from_mode(0o000)).unwrap();
        }
        assert!(sweep(temporary.path()).is_empty());
        assert!(!left.exists());
    }
}
