//! What the lists of a repository, and those of the user, name that is to be ignored, for where git
//! cannot be asked.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::ignored::Lists;
use skillyard_catalog::regular_file::{Links, read};

use super::below::go_through;
use super::everywhere::SettingsPlaces;
use crate::material::around;

/// Most bytes of a file that only names a place.
const LONGEST_PATH: u64 = 1 << 16;

/// What the lists name in folders, by the paths from the repository's root; those of folders end in
/// `/`. What is committed all the same is among it, which only git knows. And whether all of the folders
/// could be looked through.
pub(super) fn ignored(
    root: &Path,
    folders: &[&str],
    places: &SettingsPlaces,
) -> (BTreeSet<String>, bool) {
    let (guessed, own) = elsewhere(root, places);
    let lists = Lists::below(root, &[".gitignore"]).after(guessed, own);
    let (mut found, mut is_whole) = (BTreeSet::new(), true);
    for folder in folders {
        let mut way = around(folder)
            .chain([*folder])
            .filter(|part| !part.is_empty());
        if let Some(whole) = way.find(|part| lists.has(&root.join(part), true)) {
            found.insert(format!("{whole}/"));
            continue;
        }
        is_whole &= go_through(root, folder, |path, is_folder| {
            let place = root.join(path);
            if lists.has(&place, is_folder) {
                let end = if is_folder { "/" } else { "" };
                found.insert(format!("{path}{end}"));
                return false;
            }
            // Another repository has lists of its own.
            place.join(".git").symlink_metadata().is_err()
        });
    }
    (found, is_whole)
}

/// The lists that nobody commits: those that settings may name, and that of the repository.
fn elsewhere(root: &Path, places: &SettingsPlaces) -> (Vec<PathBuf>, Option<PathBuf>) {
    let Some((own, common)) = repository(root) else {
        return (places.lists(root, &[]), None);
    };
    let settings = [common.join("config"), own.join("config.worktree")];
    let lists = places.lists(root, &settings);
    (lists, Some(common.join("info/exclude")))
}

/// The folder of the repository that a working tree has for itself, and the one that it shares with
/// those beside it.
fn repository(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let git = root.join(".git");
    let named = |file: &Path| read(file, Links::Followed, LONGEST_PATH).ok();
    let own = if git.is_dir() {
        git
    } else {
        let text = named(&git)?;
        let place = text.strip_prefix(b"gitdir:")?.trim_ascii();
        root.join(OsStr::from_bytes(place))
    };
    let common = match named(&own.join("commondir")) {
        Some(place) => own.join(OsStr::from_bytes(place.trim_ascii())),
        None => own.clone(),
    };
    Some((own, common))
}
