//! What lies in the folders of the user's agents, written down folder by folder.
//!
//! The lock names such a folder by its usual path. With another value of a variable that is another
//! folder, and what was put into the first one would be nobody's: no block and no digest would hold
//! for it any more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Transaction;
use super::replacement::Replacement;
use crate::lockfile::{Locked, Lockfile};
use crate::plan::{Change, Plan};
use crate::scope::{Scope, ScopeKind};

impl Transaction<'_> {
    /// The records that change: of folders that a variable puts elsewhere, of those that were there
    /// before, and of all that have one already.
    pub(super) fn folder_records(&self, plan: &Plan) -> Vec<Replacement> {
        let scope = self.scope;
        if scope.kind != ScopeKind::User {
            return Vec::new();
        }
        let (before, after) = (&self.before.lock, &plan.lock);
        let entries = before.skills().iter().chain(after.skills());
        let targets: BTreeSet<&String> = entries.flat_map(|entry| &entry.targets).collect();
        let changes = plan.changes.iter().map(Change::name);
        let unchanged = plan.unchanged.iter().map(String::as_str);
        // What lies there is what the lock says only where that was seen to.
        let settled: BTreeSet<&str> = changes.chain(unchanged).collect();
        let mut records = Changed::default();
        for target in targets {
            let folder = scope.target(target);
            let usual = scope.usual(target);
            let file = Scope::folder_record(&scope.skillyard_home, &folder);
            if usual.is_some() || file.exists() {
                let record = records.of(file);
                let stays = |name: &str| of(after, target).any(|entry| entry.name == name);
                for entry in of(before, target).filter(|entry| !stays(&entry.name)) {
                    record.remove(&entry.name);
                }
                forget_missing(record, &folder);
                for entry in of(after, target) {
                    let name = entry.name.as_str();
                    let is_unknown = || record.get(name).is_none() && is_there(&folder, name);
                    if settled.contains(name) || is_unknown() {
                        record.put(in_one(entry, target));
                    }
                }
            }
            // What was put there before the variable was set stays, whatever becomes of the lock.
            if let Some(usual) = usual {
                let file = Scope::folder_record(&scope.skillyard_home, &usual);
                let left = of(before, target).filter(|entry| is_there(&usual, &entry.name));
                for entry in left {
                    let record = records.of(file.clone());
                    if record.get(&entry.name).is_none() {
                        record.put(in_one(entry, target));
                    }
                }
            }
        }
        records.into_replacements()
    }
}

/// Records by their files: as they were, and as they will be.
#[derive(Default)]
struct Changed(BTreeMap<PathBuf, (Lockfile, Lockfile)>);

impl Changed {
    fn of(&mut self, file: PathBuf) -> &mut Lockfile {
        let (_, record) = self.0.entry(file).or_insert_with_key(|file| {
            // What cannot be read says nothing.
            let record = Lockfile::read(file).unwrap_or_default();
            (record.clone(), record)
        });
        record
    }

    fn into_replacements(self) -> Vec<Replacement> {
        let changed = self.0.into_iter();
        let changed = changed.filter(|(_, (before, after))| before != after);
        let changed = changed.map(|(file, (_, after))| Replacement::of_own(file, after.to_text()));
        changed.collect()
    }
}

/// What a lock has in a target.
fn of<'a>(lock: &'a Lockfile, target: &str) -> impl Iterator<Item = &'a Locked> {
    let is_in = move |entry: &&Locked| entry.targets.iter().any(|each| each == target);
    lock.skills().iter().filter(is_in)
}

/// An entry for one folder only.
fn in_one(entry: &Locked, target: &str) -> Locked {
    Locked {
        targets: vec![target.to_owned()],
        ..entry.clone()
    }
}

fn forget_missing(record: &mut Lockfile, folder: &Path) {
    let entries = record.skills().iter();
    let missing = entries.filter(|entry| !is_there(folder, &entry.name));
    let missing: Vec<String> = missing.map(|entry| entry.name.clone()).collect();
    for name in missing {
        record.remove(&name);
    }
}

fn is_there(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}
