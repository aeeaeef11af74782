//! What lies in the folders of the user's agents, written down folder by folder.
//!
//! The lock names such a folder by its usual path. With another value of a variable that is another
//! folder, and what was put into the first one would be nobody's: no block and no digest would hold
//! for it any more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillyard_catalog::ways::real;

use super::Transaction;
use super::replacement::Replacement;
use crate::folder_record::{folder_of, is_there, text};
use crate::lockfile::{Locked, Lockfile};
use crate::plan::{InstalledState, Plan};
use crate::scope::{Scope, ScopeKind};
use crate::text::text_if_there;

impl Transaction<'_> {
    /// The records that change: of folders that a variable puts elsewhere, of those that were there
    /// before, and of all that have one already.
    pub(super) fn folder_records(&self, plan: &Plan) -> Vec<Replacement> {
        let scope = self.scope;
        if scope.kind != ScopeKind::User {
            return Vec::new();
        }
        let InstalledState { lock, placed, .. } = &self.before;
        let (before, after) = (lock, &plan.lock);
        let entries = before.skills().iter().chain(after.skills());
        let entries = entries.chain(placed.skills());
        let targets: BTreeSet<&String> = entries.flat_map(|entry| &entry.targets).collect();
        // What lies there is what the lock says only where that was seen to.
        let settled = plan.settled();
        let mut records = FolderRecords::default();
        for target in targets {
            let folder = scope.target(target);
            let usual = scope.usual(target);
            let file = Scope::folder_record(&scope.skillyard_home, &folder);
            if usual.is_some() || file.exists() {
                let record = records.of(file, &folder);
                let stays = |name: &str| of(after, target).any(|entry| entry.name == name);
                let gone = of(before, target).chain(of(placed, target));
                let is_settled = |entry: &&Locked| settled.contains(entry.name.as_str());
                let gone = gone.filter(is_settled).filter(|entry| !stays(&entry.name));
                for entry in gone {
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
                    let record = records.of(file.clone(), &usual);
                    if record.get(&entry.name).is_none() {
                        record.put(in_one(entry, target));
                    }
                }
            }
        }
        records.into_replacements()
    }
}

/// Records by their files.
#[derive(Default)]
struct FolderRecords(BTreeMap<PathBuf, FolderRecordChange>);

/// A record as it was, and as it will be.
struct FolderRecordChange {
    folder: PathBuf,
    before: Lockfile,
    after: Lockfile,
    /// Whether it said which folder it is of.
    is_named: bool,
}

impl FolderRecords {
    fn of(&mut self, file: PathBuf, folder: &Path) -> &mut Lockfile {
        let record = self.0.entry(file).or_insert_with_key(|file| {
            // What cannot be read says nothing.
            let before = Lockfile::read(file).unwrap_or_default();
            let text = text_if_there(file).ok().flatten();
            FolderRecordChange {
                folder: real(folder),
                after: before.clone(),
                before,
                is_named: text.is_none_or(|text| folder_of(&text).is_some()),
            }
        });
        &mut record.after
    }

    fn into_replacements(self) -> Vec<Replacement> {
        let records = self.0.into_iter();
        let changed = records.filter(|(_, each)| each.before != each.after || !each.is_named);
        let changed =
            changed.map(|(file, each)| Replacement::of_own(file, text(&each.folder, &each.after)));
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
