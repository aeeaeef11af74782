//! What the lists of a repository, and those of the user, name that is to be ignored, for where git
//! cannot be asked.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::ignored::Lists;
use skillyard_catalog::regular_file::{Links, read};

use super::below::go_through;
use super::everywhere::{Named, SettingsPlaces};
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
    let elsewhere = elsewhere(root, places);
    let lists = || {
        let Elsewhere { guessed, own, .. } = &elsewhere;
        Lists::below(root, &[".gitignore"]).after(guessed.clone(), own.clone())
    };
    let alike = elsewhere.has_letters_alike;
    let alike = alike.then(|| lists().with_letters_alike());
    let lists: Vec<Lists> = [lists()].into_iter().chain(alike).collect();
    let is_named =
        |path: &Path, is_folder: bool| lists.iter().any(|each| each.has(path, is_folder));
    let (mut found, mut is_whole) = (BTreeSet::new(), true);
    for folder in folders {
        let mut way = around(folder)
            .chain([*folder])
            .filter(|part| !part.is_empty());
        if let Some(whole) = way.find(|part| is_named(&root.join(part), true)) {
            found.insert(format!("{whole}/"));
            continue;
        }
        is_whole &= go_through(root, folder, |path, is_folder| {
            let place = root.join(path);
            if is_named(&place, is_folder) {
                let end = if is_folder { "/" } else { "" };
                found.insert(format!("{path}{end}"));
                return false;
            }
            // Another repository has lists of its own.
            place.join(".git").symlink_metadata().is_err()
        });
    }
    (found, is_whole && lists.iter().all(Lists::are_whole))
}

/// What lists that nobody commits hold for a repository.
struct Elsewhere {
    /// Those that settings may name.
    guessed: Vec<PathBuf>,
    /// That of the repository.
    own: Option<PathBuf>,
    /// Whether small letters and capitals may be the same in all lists.
    has_letters_alike: bool,
}

/// Whether settings name a list for a repository by a path without a root.
pub(super) fn is_relative(root: &Path, places: &SettingsPlaces) -> bool {
    settings(root, places, repository(root).as_ref()).is_relative
}

/// What settings say about a repository, with its own ones.
fn settings(root: &Path, places: &SettingsPlaces, own: Option<&(PathBuf, PathBuf)>) -> Named {
    let settings = own.map(|(own, common)| [common.join("config"), own.join("config.worktree")]);
    places.named(
        root,
        settings.as_ref().map_or(&[], <[PathBuf; 2]>::as_slice),
    )
}

fn elsewhere(root: &Path, places: &SettingsPlaces) -> Elsewhere {
    let repository = repository(root);
    let named = settings(root, places, repository.as_ref());
    Elsewhere {
        guessed: named.lists,
        own: repository.map(|(_, common)| common.join("info/exclude")),
        has_letters_alike: named.has_letters_alike,
    }
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
