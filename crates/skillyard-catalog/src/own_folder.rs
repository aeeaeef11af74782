//! Folders of Skillyard's own.
//!
//! What they hold decides what is trusted, and is not believed where others may write. So they are
//! never made the way folders are usually made here, which may be open to everybody.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What the hidden folder is called like in which skills wait until they take their places.
pub const WAITING: &str = ".skillyard-";

/// Makes a folder, and those it lies in, for its owner alone; one that is there stays as it is.
pub fn make(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

/// A folder that nobody needs any more, and that could not be removed.
#[derive(Debug)]
pub struct Stuck {
    /// The folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Removes a folder and all that is in it, also what is closed to its owner.
pub fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_all(folder)?;
            std::fs::remove_dir_all(folder)
        }
        removed => removed,
    }
}

/// Lets the owner of a folder, which is no link, look into it and take something out of it.
pub fn open(folder: &Path) -> io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(0o700))
}

fn open_all(folder: &Path) -> io::Result<()> {
    open(folder)?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // Links are none.
        if entry.file_type()?.is_dir() {
            open_all(&entry.path())?;
        }
    }
    Ok(())
}
