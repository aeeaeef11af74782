//! The names of files and folders in a workspace that other programs obey.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use skillyard_catalog::agents;
use skillyard_scan::auto_loaded_files::{
    self, BUILDS, HOOKS, INSTRUCTIONS, LEFTHOOK, OPENED, OPENED_ENDINGS,
};

/// Repositories of git, Mercurial, Jujutsu and Sapling: with one of these, every command of theirs in
/// the folder can run programs, also the one that a shell's prompt asks.
const REPOSITORIES: &[&str] = &[".git", ".hg", ".jj", ".sl"];

/// Cargo: its settings name programs that are started with it, also by an editor that opens the
/// folder. Scripts put programs into that of the home folder, so the scanner does not tell of it.
const CARGO: &[&str] = &[".cargo"];

/// Our own.
const OWN: &[&str] = &[".skills", ".skillyard", "skills.toml", "skills.lock"];

/// Names that are protected at the top of a workspace, or reported when a script creates them.
pub(super) fn held() -> impl Iterator<Item = &'static str> {
    let lists = [REPOSITORIES, OWN, CARGO, INSTRUCTIONS, OPENED];
    let listed = lists.into_iter().flatten().copied();
    agents::hidden_folders().chain(listed)
}

/// Whether a name counts by how it ends, which cannot be held where nothing is there yet.
pub(super) fn is_opened(name: &OsStr) -> bool {
    auto_loaded_files::ends(OPENED_ENDINGS, &name.to_string_lossy())
}

/// Places that are held shut in this workspace, because of what is there already.
pub(super) fn held_in(workspace: &Path) -> Vec<PathBuf> {
    let is_there = |place: &PathBuf| workspace.join(place).symlink_metadata().is_ok();
    let in_config = |name: &&str| Path::new(".config").join(name);
    let in_config: Vec<PathBuf> = LEFTHOOK.iter().map(in_config).collect();
    let mut hooks: Vec<PathBuf> = LEFTHOOK.iter().map(PathBuf::from).collect();
    let mut is_used = hooks.iter().chain(&in_config).any(is_there);
    let mut places = Vec::new();
    let config = workspace.join(".config");
    let can = |what| access(&config, what).is_ok();
    if config.is_dir() && can(Access::WRITE_OK | Access::EXEC_OK) {
        let mise = ["mise", "mise.toml", "mise.local.toml"];
        places.extend(mise.iter().map(|name| Path::new(".config").join(name)));
        hooks.extend(in_config);
    } else if config.is_dir() {
        // Nothing can be put there to be held, but its owner could open it up again.
        places.push(".config".into());
        // Nobody can tell what is in it.
        is_used |= !can(Access::EXEC_OK);
    }
    if is_used {
        places.append(&mut hooks);
    }
    places
}

/// Names that are protected where they are there.
pub(super) fn kept() -> impl Iterator<Item = &'static str> {
    [BUILDS, HOOKS, LEFTHOOK].into_iter().flatten().copied()
}
