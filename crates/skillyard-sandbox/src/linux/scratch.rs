//! A private folder for temporary files, for sandboxes without a private `/tmp`.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::TempDir;

use crate::identity::UserIds;

/// More files than any program needs for a while.
const MAX_FILES: u64 = 20_000;

/// A folder that only the program can use, and that goes when it ends.
pub(super) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub(super) fn make(parent: &Path, identity: Option<UserIds>) -> io::Result<Self> {
        // For its owner alone: the library itself leaves the mode to the umask.
        let folder = tempfile::Builder::new()
            .prefix("sandbox-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        if let Some(UserIds { uid, gid }) = identity {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid))?;
        }
        Ok(Self { folder })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether it holds more than `limit` bytes, or too many files.
    pub(super) fn is_over(&self, limit: u64) -> bool {
        let (mut bytes, mut files) = (0, 0);
        add(self.folder.path(), 0, &mut bytes, &mut files);
        bytes > limit || files > MAX_FILES
    }
}

/// Adds the sizes and the number of the files in a folder.
fn add(folder: &Path, depth: usize, bytes: &mut u64, files: &mut u64) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        *files += 1;
        if *files > MAX_FILES {
            return;
        }
        if let Ok(metadata) = entry.metadata() {
            // What a file takes up, not what it claims to be long.
            *bytes += metadata.blocks() * 512;
            if metadata.is_dir() && depth < 64 {
                add(&entry.path(), depth + 1, bytes, files);
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Folders that the program closed to itself must not stay behind.
        open(self.folder.path(), 0);
    }
}

fn open(folder: &Path, depth: usize) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth < 64 {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700));
            open(&entry.path(), depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_measured_and_goes_away() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(parent.path(), None).unwrap();
        assert_eq!(fs::metadata(scratch.path()).unwrap().mode() & 0o777, 0o700);
        let closed = scratch.path().join("closed/inner");
        fs::create_dir_all(&closed).unwrap();
        fs::write(closed.join("file"), vec![1; 50_000]).unwrap();
        assert!(scratch.is_over(40_000));
        assert!(!scratch.is_over(400_000));
        fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
