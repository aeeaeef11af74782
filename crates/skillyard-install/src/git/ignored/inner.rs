//! Repositories inside a folder, such as submodules: only they know what they ignore.

use std::path::{Path, PathBuf};

use super::below::go_through;

/// Most repositories in one folder that git is started for.
pub(super) const MOST_ASKED: usize = 20;

/// The repositories in a folder, with their paths from it.
pub(super) fn repositories(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(folder) = folder.canonicalize() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    go_through(&folder, "", |path, is_folder| {
        let place = folder.join(path);
        if is_folder && place.join(".git").symlink_metadata().is_ok() {
            found.push((place, path.to_owned()));
        }
        true
    });
    found.sort_unstable();
    found
}
