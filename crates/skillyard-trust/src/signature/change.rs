//! What was changed, added, removed or renamed since a skill was signed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tree::{Tree, is_git_path};

/// Most changes that a message names.
pub(super) const MAX_NAMED: usize = 3;

/// One difference between what was signed and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its content is another.
    Changed(String),
    /// It was not signed.
    Added(String),
    /// It was signed and is gone.
    Removed(String),
    /// It has another name now.
    Renamed(String, String),
}

/// The first changes, for a message.
pub(super) fn told(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes.iter().take(MAX_NAMED) {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = match change {
            Change::Changed(path) => write!(text, "{separator}`{path}` was changed"),
            Change::Added(path) => write!(text, "{separator}`{path}` was added"),
            Change::Removed(path) => write!(text, "{separator}`{path}` is missing"),
            Change::Renamed(from, to) => write!(text, "{separator}`{from}` is now `{to}`"),
        };
    }
    if changes.len() > MAX_NAMED {
        let _ = write!(text, " and {} more", changes.len() - MAX_NAMED);
    }
    text
}

/// What is not as it was signed, and what the statement leaves out.
pub(super) fn compare(
    resources: &BTreeMap<String, [u8; 32]>,
    leaves_out: &[String],
    tree: &Tree,
) -> (Vec<Change>, Vec<String>) {
    let mut added = Vec::new();
    let mut uncovered = Vec::new();
    for (path, file) in tree.files() {
        if resources.contains_key(path) {
            continue;
        }
        let first = path.split('/').next().unwrap_or_default();
        // What else a statement asks to leave out is not left out.
        if is_git_path(path) && leaves_out.iter().any(|each| each == first) {
            uncovered.push(path.to_owned());
        } else {
            added.push((path, *file.digest.as_bytes()));
        }
    }
    let mut changes = Vec::new();
    for (path, signed) in resources {
        match tree.get(path) {
            Some(file) if file.digest.as_bytes() == signed => {}
            Some(_) => changes.push(Change::Changed(path.clone())),
            None => match added.iter().position(|(_, digest)| digest == signed) {
                Some(at) => {
                    let to = added.swap_remove(at).0.to_owned();
                    changes.push(Change::Renamed(path.clone(), to));
                }
                None => changes.push(Change::Removed(path.clone())),
            },
        }
    }
    added.sort_unstable();
    let added = added.into_iter().map(|(path, _)| path.to_owned());
    // Programs leave such files behind, and so does who wants to have them run.
    let litter = tree.litter().iter().cloned();
    let litter = litter.filter(|path| !resources.contains_key(path));
    changes.extend(added.chain(litter).map(Change::Added));
    (changes, uncovered)
}
