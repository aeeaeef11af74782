//! Folders of Skillyard's own, which only their owner may access: what they contain decides what is trusted.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What the name of a staging folder starts with: skills are prepared there before they are moved into place.
pub const STAGING_PREFIX: &str = ".skillyard-";

/// Creates a folder and its parents for its owner alone; existing ones stay as they are.
pub fn create(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

/// An unused folder that could not be removed.
#[derive(Debug)]
pub struct LeftoverFolder {
    /// The folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Removes a folder and its content, even if its owner has no access to parts of it.
pub fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_all_accessible(folder)?;
            std::fs::remove_dir_all(folder)
        }
        removed => removed,
    }
}

/// Gives the owner of a folder, which must not be a link, full access to it.
pub fn make_accessible(folder: &Path) -> io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(0o700))
}

fn make_all_accessible(folder: &Path) -> io::Result<()> {
    make_accessible(folder)?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_all_accessible(&entry.path())?;
        }
    }
    Ok(())
}
