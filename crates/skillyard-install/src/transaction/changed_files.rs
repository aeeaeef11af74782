//! The files that change with the skills: lock, manifest, and the records in Skillyard's own folder.
//!
//! The lock names a folder of an agent by its usual path. A variable can put that folder elsewhere, so
//! each folder has a record of its own: without it, nothing would protect the skills in the first one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillyard_catalog::path_probe::resolved;

use super::created_folders::text as folders_text;
use super::{Transaction, TransactionError, disk};
use crate::any_path::AnyPath;
use crate::folder_record::{folder_of, is_there, text};
use crate::lockfile::{Locked, Lockfile};
use crate::plan::{InstalledState, Plan};
use crate::scope::{Scope, ScopeKind};
use crate::text::text_if_there;

/// A file that gets another content.
#[derive(Debug)]
pub(super) struct Replacement {
    /// The file.
    pub(super) path: AnyPath,
    /// What it will be.
    pub(super) text: String,
    /// What it is; nothing where there is none.
    pub(super) before: Option<String>,
}

impl Replacement {
    fn of(path: PathBuf, text: String) -> Result<Self, TransactionError> {
        let before = text_if_there(&path).map_err(|source| disk(&path, source))?;
        Ok(Self {
            path: path.into(),
            text,
            before,
        })
    }

    /// The same of a file of Skillyard's own; one that cannot be read says nothing.
    pub(super) fn of_own(path: PathBuf, text: String) -> Self {
        Self {
            before: text_if_there(&path).ok().flatten(),
            path: path.into(),
            text,
        }
    }
}

impl Transaction<'_> {
    /// The lock, the manifest, what this machine did and what it found, where they change.
    pub(super) fn changed_files(&self, plan: &Plan) -> Result<Vec<Replacement>, TransactionError> {
        let mut files = Vec::new();
        let lock_file = self.scope.lock_file();
        // Where nothing is installed and never was, no lock is needed.
        let is_missing = || !plan.lock.skills().is_empty() && !lock_file.exists();
        if plan.lock != self.before.lock || is_missing() {
            files.push(Replacement::of(lock_file, plan.lock.to_text())?);
        }
        if let Some(file) = self.scope.placed_file()
            && (plan.placed != self.before.placed || self.is_unrecorded(plan))
        {
            files.push(Replacement::of_own(file, self.placed_text(plan, &files)));
        }
        if let (Some(file), Some(manifest)) = (self.scope.manifest_file(), &self.manifest)
            && manifest.is_changed()
        {
            files.push(Replacement::of(file, manifest.to_text())?);
        }
        files.extend(self.folder_records(plan));
        files.extend(self.found_record(plan));
        Ok(files)
    }

    /// Whether what is there was never written down, or cannot be read any more.
    fn is_unrecorded(&self, plan: &Plan) -> bool {
        !self.before.is_recorded && !plan.placed.skills().is_empty()
    }

    /// What this machine did; mostly that is what the lock says, which need not be written out twice.
    fn placed_text(&self, plan: &Plan, changed: &[Replacement]) -> String {
        if plan.placed == plan.lock {
            let lock = match changed.first() {
                Some(lock) => Some(lock.text.clone()),
                None => text_if_there(&self.scope.lock_file()).ok().flatten(),
            };
            if let Some(lock) = lock {
                return lock;
            }
        }
        plan.placed.to_text()
    }
}

impl Transaction<'_> {
    /// The record of what was found, where it changes.
    pub(super) fn found_record(&self, plan: &Plan) -> Option<Replacement> {
        let found = self.found_after(plan)?;
        Some(Replacement::of_own(
            self.scope.found_file(),
            folders_text(found)?,
        ))
    }

    /// Removes a record of nothing. Where that fails it goes on saying nothing.
    pub(super) fn tidy_found(&self, plan: &Plan) {
        if self.found_after(plan).is_some_and(|found| found.is_empty()) {
            let _ = std::fs::remove_file(self.scope.found_file());
        }
    }

    /// What was found so far and is taken over now, without what is replaced, removed or let go; nothing
    /// where that is the same as before.
    fn found_after(&self, plan: &Plan) -> Option<BTreeSet<PathBuf>> {
        if self.before.found.is_empty() && plan.taken_over.is_empty() {
            return None;
        }
        let place = |(name, target): &(String, String)| Path::new(target).join(name);
        let mut found: BTreeSet<PathBuf> = self.before.found.clone();
        found.extend(plan.taken_over.iter().map(place));
        for step in &plan.steps {
            let (target, name) = step.place();
            found.remove(&Path::new(target).join(name));
        }
        for each in &plan.let_go {
            found.remove(&place(each));
        }
        (found != self.before.found).then_some(found)
    }
}

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
                folder: resolved(folder),
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
