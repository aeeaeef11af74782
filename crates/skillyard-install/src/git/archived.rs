//! Skills of a commit as a forge packs them.
//!
//! A forge leaves out what `.gitattributes` marks with `export-ignore`, and fills in what it marks
//! with `export-subst`. Where git fetches in its stead, the same commit must have the same bytes,
//! or a lock that one wrote is refused to the other. Git itself packs them, in surroundings where
//! nobody has configured a filter that an attribute could start.

use std::path::{Path, PathBuf};

use super::command::{Git, run};
use super::error::GitError;
use super::listing::{TreeEntry, TreeEntryKind};
use crate::source_path::is_below;

/// Whether anything is said about how the files of a folder are packed. Where nothing is, they are
/// packed as they were committed.
pub(super) fn has_attributes(entries: &[TreeEntry], path: &str) -> bool {
    entries.iter().any(|entry| {
        let (folder, file) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        file == ".gitattributes" && (is_below(path, folder) || is_below(folder, path))
    })
}

/// All objects that git could ask for to pack a part of a commit.
pub(super) fn objects(entries: &[TreeEntry]) -> Vec<&str> {
    let files = entries
        .iter()
        .filter(|each| each.kind != TreeEntryKind::Submodule);
    let mut objects: Vec<&str> = files.map(|each| each.object.as_str()).collect();
    objects.sort_unstable();
    objects.dedup();
    objects
}

/// Packs a folder of a commit, beside the repository. What git answers is limited, so that a few
/// bytes that stand for many end here.
pub(super) fn pack(
    git: &Git,
    repository: &Path,
    commit: &str,
    path: &str,
) -> Result<PathBuf, GitError> {
    let mut command = git.command(repository);
    // No settings but ours: what the user has for working copies is not for this.
    command
        .env("HOME", repository)
        .env("XDG_CONFIG_HOME", repository)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .args(["archive", "--format=tar", "--prefix=repository/"])
        .args([commit, "--"])
        .args(Some(path).filter(|path| !path.is_empty()));
    let packed = run(&mut command, "pack the files")?;
    let file = repository.with_file_name("archive");
    std::fs::write(&file, packed).map_err(GitError::Run)?;
    Ok(file)
}
