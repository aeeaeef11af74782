//! Changing a scope: all of a plan, or nothing of it, whenever the process ends.
//!
//! 1. The new skills are staged beside the folders they go to, on the same file system.
//! 2. The lock and the journal are synced to disk before a change is visible.
//! 3. Each skill is exchanged with its predecessor in one step, then the lock is replaced.
//! 4. What the change replaced is removed.
//!
//! A process that ends before step 3 leaves the old state, a later one is finished by the next process.
//! A change that cannot be finished is undone. Of changes with more than `MAX_SYNCED_FILES` files, the
//! files are not synced: after a power cut `sync` may have to copy a skill again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_catalog::private_dir;
use skillyard_format::Digest;

use crate::any_path::AnyPath;
use crate::candidate::Candidate;
use crate::change_audit::{CatchUp, ChangeAudit, ChangeOutcome};
use crate::flock::{Flock, Hold};
use crate::folder_identity::FolderIdentity;
use crate::journal::{CommittedChange, Journal, JournalState, drafts, throw_away};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest::Manifest;
use crate::plan::{ConflictPolicy, DesiredState, InstalledState, OnConflict, Plan, PlanStep};
use crate::records::Records;
use crate::scope::Scope;
use crate::store::Store;
use crate::tree::Tree;
use crate::write::{StagedFile, beside, in_the_way};
use stage::TargetStage;

mod changed_files;
mod created_folders;
mod error;
mod inside;
mod scope_fs;
mod stage;

use changed_files::Replacement;
pub(crate) use created_folders::made_folders;
pub use error::TransactionError;
pub use inside::check_inside;
pub use scope_fs::{before, plan_in};

/// The files of a change with more files are not synced to disk.
const MAX_SYNCED_FILES: usize = 48;

/// Skills whose bytes are already at hand.
pub type Trees = BTreeMap<Digest, Arc<Tree>>;

/// A scope that nobody else changes meanwhile.
#[derive(Debug)]
pub struct Transaction<'a> {
    scope: &'a Scope,
    store: &'a Store,
    before: InstalledState,
    /// What the project wants, once somebody is to change it.
    manifest: Option<Manifest>,
    journal: PathBuf,
    _guard: Flock,
}

impl<'a> Transaction<'a> {
    /// Waits until nobody else changes the scope, finishes what was interrupted, and reads it.
    pub fn begin(
        scope: &'a Scope,
        store: &'a Store,
        records: &Records,
        catch_up: CatchUp<'_>,
    ) -> Result<Self, TransactionError> {
        let folder = scope.guarded_folder();
        let disk = |source| TransactionError::Disk {
            path: folder.to_owned(),
            source,
        };
        // A project is there; Skillyard's own folder may be missing.
        private_dir::create(folder).map_err(disk)?;
        let guard = Flock::folder(folder, Hold::Alone).map_err(disk)?;
        let journal = scope.journal_file();
        let recovery = |source| TransactionError::Recovery {
            path: journal.clone(),
            source,
        };
        if let Some(interrupted) = Journal::read(&journal).map_err(recovery)? {
            interrupted.recover(&journal, catch_up).map_err(recovery)?;
        }
        Ok(Self {
            before: before(scope, records)?,
            manifest: None,
            scope,
            store,
            journal,
            _guard: guard,
        })
    }

    /// What is installed.
    pub fn lock(&self) -> &Lockfile {
        &self.before.lock
    }

    /// What the project wants, to be changed along. Who only goes by the lock does not read it.
    pub fn manifest(
        &mut self,
        records: &Records,
    ) -> Result<Option<&mut Manifest>, TransactionError> {
        self.manifest = records.manifest(self.scope)?;
        Ok(self.manifest.as_mut())
    }

    /// What has to change.
    pub fn plan(&self, wish: &DesiredState, settlement: &ConflictPolicy) -> Plan {
        plan_in(self.scope, self.store, &self.before, wish, settlement)
    }

    /// Carries out a plan, unless `last_check` fails: then nothing has changed.
    ///
    /// `last_check` runs after the new skills were staged, and before anything is stored or visible.
    pub fn commit<E: From<TransactionError>>(
        self,
        plan: &Plan,
        trees: &Trees,
        last_check: impl FnOnce() -> Result<(), E>,
        audit: &impl ChangeAudit<E>,
    ) -> Result<(), E> {
        let files = self.changed_files(plan)?;
        if plan.steps.is_empty() && files.is_empty() {
            last_check()?;
            return Ok(self.keep(trees)?);
        }
        let mut last_check = Some(last_check);
        let mut check = || last_check.take().map_or(Ok(()), |check| check());
        // A link leads into the store, which must hold only what was checked.
        if plan.steps.iter().any(PlanStep::is_link) {
            check()?;
        }
        let stages = self.stages(plan)?;
        let paths: Vec<AnyPath> = stages.values().map(|each| each.path.clone()).collect();
        let drafts = files.iter().map(|file| beside(&file.path).into());
        // After a power cut this journal may be missing; then a hidden stage that no agent reads stays.
        self.write(JournalState::Preparing {
            stages: paths.iter().cloned().chain(drafts).collect(),
        })?;
        let ready = self
            .prepare(plan, &stages, trees, files, audit.note())
            .map_err(E::from)
            .and_then(|(change, drafts)| {
                check()?;
                self.keep(trees)?;
                StagedFile::sync_all(&drafts).map_err(|source| disk(&self.journal, source))?;
                Ok((self.write(JournalState::Committed(change))?, drafts))
            });
        let undo_stages = || {
            throw_away(&paths);
            stages.values().for_each(TargetStage::unmake);
            let _ = std::fs::remove_file(&self.journal);
        };
        let (change, drafts) = match ready {
            Ok((JournalState::Committed(change), drafts)) => (change, drafts),
            Ok((JournalState::Preparing { .. }, _)) => return Ok(()),
            Err(error) => {
                undo_stages();
                return Err(error);
            }
        };
        if let Err(refused) = change.perform(drafts) {
            if change.undo().is_ok() {
                let recorded = audit.undone(&refused.source);
                throw_away(&change.own_stages());
                stages.values().for_each(TargetStage::unmake);
                let _ = std::fs::remove_file(&self.journal);
                recorded?;
            }
            let kept = change.strangers().map(Path::to_owned).collect();
            return Err(error::refused(refused, kept).into());
        }
        // If this fails, the journal stays and the next process records the change.
        audit.happens()?;
        throw_away(&change.stages);
        let over = std::fs::remove_file(&self.journal);
        self.tidy(plan, &stages);
        self.tidy_found(plan);
        Ok(over.map_err(|source| disk(&self.journal, source))?)
    }

    /// Stages what is new, and returns the change and the files to publish.
    fn prepare(
        &self,
        plan: &Plan,
        stages: &BTreeMap<String, TargetStage>,
        trees: &Trees,
        files: Vec<Replacement>,
        note: String,
    ) -> Result<(CommittedChange, Vec<StagedFile>), TransactionError> {
        let moves = self.stage(plan, stages, trees)?;
        let (files, before): (Vec<_>, Vec<_>) = files
            .into_iter()
            .map(|file| ((file.path, file.text), file.before))
            .unzip();
        let drafts = drafts(&files).map_err(|(path, source)| disk(path, source))?;
        let change = CommittedChange {
            stages: stages.values().map(|stage| stage.path.clone()).collect(),
            moves,
            files,
            before,
            note,
        };
        Ok((change, drafts))
    }

    /// Stores the skills, and that this scope uses them.
    fn keep(&self, trees: &Trees) -> Result<(), TransactionError> {
        self.store.insert(trees.values())?;
        Ok(self.store.remember(&self.scope.lock_file())?)
    }

    /// Writes the journal; a committed one is synced to disk.
    fn write(&self, progress: JournalState) -> Result<JournalState, TransactionError> {
        let journal = Journal {
            guarded: self.scope.guarded_folder().to_owned().into(),
            identity: FolderIdentity::of(self.scope.guarded_folder()),
            progress,
        };
        let write = || {
            let draft = journal.draft(&self.journal)?;
            if matches!(journal.progress, JournalState::Committed(_)) {
                draft.sync()?;
            }
            draft.publish()
        };
        write().map_err(|source| disk(&self.journal, source))?;
        Ok(journal.progress)
    }

    /// A skill that somebody else changed in the lock after the wish was worked out from it, unless
    /// they made it what it is to be.
    pub fn changed_since<'w>(&self, lock: &Lockfile, wish: &'w DesiredState) -> Option<&'w str> {
        wish.names().find(|name| {
            let now = self.before.lock.get(name);
            let wished = || wish.present.iter().find(|entry| entry.name == *name);
            // Mostly nobody changed anything, and there may be thousands to look through.
            now != lock.get(name) && now != wished()
        })
    }

    /// A skill that somebody else put into the lock after the wish was worked out from it, and that
    /// needs what a plan for the wish takes away or exchanges: nobody asked whether that will do.
    pub fn torn_since(&self, lock: &Lockfile, plan: &Plan) -> Option<&str> {
        let now = &self.before.lock;
        let digest = |lock: &Lockfile, name: &str| lock.get(name).map(|entry| entry.digest);
        let is_torn = |name: &str| {
            let there = digest(now, name);
            there.is_some() && there != digest(&plan.lock, name)
        };
        let is_new = |entry: &&Locked| {
            lock.get(&entry.name) != Some(entry) && plan.lock.get(&entry.name).is_some()
        };
        let mut new = now.skills().iter().filter(is_new);
        let torn = new.find(|entry| entry.needs().any(is_torn));
        torn.map(|entry| entry.name.as_str())
    }
}

/// Installs skills into these folders of a scope, with its lock and, in a project, its manifest; all of
/// it or nothing. Where something is in the way, nothing is done and [`Plan::conflicts`] says what it is.
///
/// Whoever calls has [scanned](skillyard_scan::scan) the skills, and knows from the plan's
/// changes what to write down. What another process left unfinished is finished first.
pub fn put<E: From<TransactionError>>(
    scope: &Scope,
    skills: &[Candidate],
    targets: &[String],
    audit: &impl ChangeAudit<E>,
) -> Result<Plan, E> {
    let wish = DesiredState {
        present: skills
            .iter()
            .map(|skill| skill.locked(targets.to_vec()))
            .collect(),
        ..DesiredState::default()
    };
    let at_hand = skills
        .iter()
        .map(|skill| (skill.tree.digest(), Arc::clone(&skill.tree)));
    let trees: Trees = at_hand.collect();
    let (store, records) = (scope.store(), Records::default());
    let nobody = |_: &str, _: ChangeOutcome<'_>| Ok(());
    let mut transaction = Transaction::begin(scope, &store, &records, &nobody)?;
    if let Some(manifest) = transaction.manifest(&records)? {
        for skill in skills {
            manifest.put(&skill.name, &skill.source);
        }
    }
    let plan = transaction.plan(&wish, &ConflictPolicy::from(OnConflict::Report));
    if plan.conflicts.is_empty() {
        transaction.commit(&plan, &trees, || Ok(()), audit)?;
    }
    Ok(plan)
}

fn disk(path: &Path, source: io::Error) -> TransactionError {
    TransactionError::Disk {
        path: in_the_way(path).to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
