//! Repositories inside a folder, such as submodules: only they know what they ignore.

use std::path::{Path, PathBuf};

use super::below::go_through;

/// Most repositories in one folder that git is started for.
pub(super) const MAX_ASKED: usize = 20;

/// The repositories in a folder, with their paths from it, but for those where nothing is delivered;
/// and whether all of the folder could be looked through.
pub(super) fn repositories(
    folder: &Path,
    is_left_out: impl Fn(&str) -> bool,
) -> (Vec<(PathBuf, String)>, bool) {
    let Ok(folder) = folder.canonicalize() else {
        return (Vec::new(), true);
    };
    let mut found = Vec::new();
    let is_whole = go_through(&folder, "", |path, is_folder| {
        if is_left_out(path) {
            return false;
        }
        let place = folder.join(path);
        if is_folder && place.join(".git").symlink_metadata().is_ok() {
            found.push((place, path.to_owned()));
        }
        true
    });
    found.sort_unstable();
    (found, is_whole)
}
