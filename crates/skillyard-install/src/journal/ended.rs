//! The journals in Skillyard's own folder.

use std::path::{Path, PathBuf};

/// The journals of changes that may not have ended.
pub(crate) fn journals(skillyard_home: &Path) -> Vec<PathBuf> {
    let mut paths = all(skillyard_home);
    paths.retain(|path| has_ending(path, "json"));
    paths
}

/// The same, after the journals of finished changes that earlier versions left were removed.
pub(super) fn cleared(skillyard_home: &Path) -> Vec<PathBuf> {
    let mut paths = all(skillyard_home);
    for finished in paths.extract_if(.., |path| has_ending(path, "over")) {
        let _ = std::fs::remove_file(finished);
    }
    paths.retain(|path| has_ending(path, "json"));
    paths
}

fn all(skillyard_home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(skillyard_home.join("journal"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}
