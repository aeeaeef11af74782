//! Stages that stay behind: the journal of their change is in another home, or in none any more.
//!
//! A container and its host have the same project and each a home of its own. What one of them left is
//! in the other's way for good. But what lies there may be the only copy of something, so it goes
//! only where every byte of it is elsewhere, and after a day, in which its own home can go on.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skillyard_catalog::own_folder::WAITING;

use crate::flock::Flock;
use crate::journal::{Journal, journals, throw_away};
use crate::plan::InstalledState;
use crate::scope::Scope;
use crate::store::Store;
use crate::target::USUAL;
use crate::transaction::check_inside;
use crate::tree::{Tree, TreeLimits};

/// So long its own home has time to go on with it.
const PATIENCE: Duration = Duration::from_hours(24);

/// The stages in the folders of a scope that no change of this home goes on with; none while
/// somebody changes the scope.
pub fn abandoned(scope: &Scope, before: &InstalledState) -> Vec<PathBuf> {
    match Flock::try_folder(scope.guarded_folder()) {
        Ok(Some(_guard)) => find(scope, before)
            .into_iter()
            .map(|(_, stage)| stage)
            .collect(),
        _ => Vec::new(),
    }
}

/// Removes those that are older than a day, and in which nothing is that is nowhere else.
pub fn remove_abandoned(scope: &Scope, store: &Store, before: &InstalledState) {
    let is_old = |stage: &Path| {
        let changed = stage.symlink_metadata().and_then(|found| found.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        age.is_some_and(|age| age > PATIENCE)
    };
    let Ok(Some(_guard)) = Flock::try_folder(scope.guarded_folder()) else {
        return;
    };
    for (folder, stage) in find(scope, before) {
        if is_old(&stage) && holds_nothing_new(&stage, &folder, store, before) {
            throw_away(&[stage.into()]);
        }
    }
}

/// Each stage that no journal of this home names, and the folder of skills it is for.
fn find(scope: &Scope, before: &InstalledState) -> BTreeSet<(PathBuf, PathBuf)> {
    let skills = before.lock.skills().iter().chain(before.placed.skills());
    let targets = skills.flat_map(|entry| &entry.targets).map(String::as_str);
    let targets: BTreeSet<&str> = targets.chain(USUAL).collect();
    let mut found = BTreeSet::new();
    for target in targets {
        if check_inside(scope, target).is_err() {
            continue;
        }
        let folder = scope.target(target);
        let folder = folder.canonicalize().unwrap_or(folder);
        let rooms = folder.parent().into_iter().chain([&*folder]);
        let entries = rooms.filter_map(|room| std::fs::read_dir(room).ok());
        for entry in entries.flatten().flatten() {
            let name = entry.file_name();
            let is_stage = name.as_encoded_bytes().starts_with(WAITING.as_bytes());
            if is_stage && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                found.insert((folder.clone(), entry.path()));
            }
        }
    }
    if !found.is_empty() {
        for journal in journals(&scope.skillyard_home) {
            match Journal::read(&journal) {
                Ok(Some(journal)) => {
                    found.retain(|(_, stage)| !journal.stages().any(|each| *each == **stage));
                }
                Ok(None) => {}
                // It may name any of them.
                Err(_) => return BTreeSet::new(),
            }
        }
    }
    found
}

/// Whether each file in a stage is in the place of its skill, or in the store, as it is or with more
/// behind it.
fn holds_nothing_new(stage: &Path, folder: &Path, store: &Store, before: &InstalledState) -> bool {
    let rooms = [stage.to_owned(), stage.join(".old")];
    let mut entries = Vec::new();
    for room in rooms {
        match std::fs::read_dir(room).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(found) => entries.extend(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // What nobody can look into may be the only copy of something.
            Err(_) => return false,
        }
    }
    entries.iter().all(|entry| {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else {
            return false;
        };
        if kind.is_symlink() || kind.is_dir() && name == ".old" {
            return true;
        }
        let limits = TreeLimits::HERE;
        let Ok(left) = Tree::read_any_names(&entry.path(), &limits) else {
            return false;
        };
        let name = name.to_string_lossy();
        let pinned = [before.lock.get(&name), before.placed.get(&name)];
        let pinned = pinned.into_iter().flatten();
        let stored = pinned.filter_map(|entry| store.read(entry.digest).ok());
        let in_place = Tree::read_any_names(&folder.join(&*name), &limits);
        let known: Vec<Tree> = stored.chain(in_place.ok()).collect();
        left.files().iter().all(|file| {
            let has = |tree: &Tree| {
                let same = tree.get(&file.path);
                same.is_some_and(|same| same.bytes.starts_with(&file.bytes))
            };
            known.iter().any(has)
        })
    })
}
