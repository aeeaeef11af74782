//! Changing a scope: all of a plan, or nothing of it, whatever happens in between.
//!
//! The new skills are staged beside the folders they go to, on the same file system. The lock and
//! the journal are on the disk before anything visible happens; the last check of the skills happens
//! meanwhile. Then the journal is committed, and from there on the change will happen: each skill
//! changes places with its predecessor in one step (all of them at once where their folder is new), the lock follows, and what is left over is
//! removed. A process that ends in between leaves the rest to the next one; one that cannot go on
//! takes back what it did, for which the journal also has the files as they were.
//!
//! Nobody waits for the files of many skills, as nobody does who copies files. The system writes them
//! within half a minute; a power cut before that leaves files without their end. Their digests tell:
//! a change that was interrupted is taken back where they do not fit, and one that was not is put
//! right by the next `sync`. When they were written is noted, so that nobody's edit is taken for that.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_catalog::own_folder;
use skillyard_format::Digest;

use crate::chronicle::{CatchUp, ChangeAudit};
use crate::flock::{Flock, Hold};
use crate::journal::{
    AnyPath, FolderIdentity, Journal, JournalState, set_aside, throw_away, wait_for_end,
};
use crate::lockfile::Lockfile;
use crate::manifest::Manifest;
use crate::plan::{ConflictPolicy, DesiredState, InstalledState, Plan, PlanStep};
use crate::records::Records;
use crate::scope::Scope;
use crate::store::Store;
use crate::tree::Tree;
use crate::write::{StagedFile, beside, in_the_way};
use beside::{beside_work, on_the_side};
use few::Few;
use stage::TargetStage;

mod beside;
mod error;
mod few;
mod folders;
mod found;
mod here;
mod inside;
mod keep;
mod made;
mod meanwhile;
mod prepare;
mod put;
mod replacement;
mod spans;
mod stage;

pub use error::TransactionError;
pub use here::{before, plan_in};
pub use inside::check_inside;
pub(crate) use made::made_folders;
pub use put::put;

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
        own_folder::make(folder).map_err(disk)?;
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

    /// Makes it so, unless the last check of what is new fails: then nothing has happened. Where
    /// that takes a while, the disk is busy with what was staged meanwhile. What is done
    /// `afterwards` sees the change made, and need not wait for the log of it.
    pub fn commit<E: From<TransactionError> + Send>(
        self,
        plan: &Plan,
        trees: &Trees,
        last_check: impl FnOnce() -> Result<(), E>,
        chronicle: &impl ChangeAudit<E>,
        afterwards: impl FnOnce(),
    ) -> Result<(), E> {
        let files = self.changed_files(plan)?;
        if plan.steps.is_empty() && files.is_empty() {
            last_check()?;
            Self::keep(self.missing(self.absent(trees)?)?)?;
            self.remember()?;
            afterwards();
            return Ok(());
        }
        let mut last_check = Some(last_check);
        let mut check = || last_check.take().map_or(Ok(()), |check| check());
        // A link leads into the store, which holds nothing that was not checked.
        if plan.steps.iter().any(PlanStep::is_link) {
            check()?;
        }
        let stages = self.stages(plan)?;
        let paths: Vec<AnyPath> = stages.values().map(|each| each.path.clone()).collect();
        let drafts = files.iter().map(|file| file.path.to_path_buf());
        let drafts = drafts.chain([self.scope.spans_file()]);
        let drafts = drafts.map(|path| beside(&path).into());
        let preparing = JournalState::Preparing {
            stages: paths.iter().cloned().chain(drafts).collect(),
        };
        // A power cut that takes this back leaves a hidden folder that no agent reads, and nothing else.
        self.write::<TransactionError>(preparing, |_| Ok(()))?;
        let ready = self.prepare(plan, &stages, trees, files, chronicle.note());
        let ready = ready.map_err(E::from).and_then(|(commit, drafts, few)| {
            let progress = self.write::<E>(JournalState::Committed(commit), |journal| {
                let synced = || {
                    few.iter().for_each(Few::start);
                    StagedFile::sync_all(drafts.iter().chain([journal]))?;
                    few.iter().try_for_each(Few::wait)
                };
                let absent = self.absent(trees)?;
                let has_all = absent.is_nothing();
                let keep = || {
                    let new = self.missing(absent);
                    check()?;
                    let kept = new.and_then(Self::keep);
                    let kept = kept.and_then(|()| self.remember());
                    kept.map_err(E::from)
                };
                // Nobody waits for the store's bytes to be on the disk, so they are written while
                // the disk is busy with the others. But it holds nothing that was not checked.
                let (synced, kept) = if has_all {
                    (synced(), keep())
                } else {
                    beside_work(synced, keep)
                };
                kept?;
                Ok(synced.map_err(|source| disk(&self.journal, source))?)
            })?;
            Ok((progress, drafts))
        });
        let (commit, drafts) = match ready {
            Ok((JournalState::Committed(commit), drafts)) => (commit, drafts),
            Ok((JournalState::Preparing { .. }, _)) => return Ok(()),
            Err(error) => {
                throw_away(&paths);
                stages.values().for_each(TargetStage::unmake);
                let _ = std::fs::remove_file(&self.journal);
                return Err(error);
            }
        };
        let whole: Vec<(&Path, &Path)> = stages.values().filter_map(TargetStage::whole).collect();
        if let Err(refused) = commit.perform(drafts, &whole) {
            // It did not crash, it cannot be done: back to how it was.
            if commit.undo().is_ok() {
                let told = chronicle.undone(&refused.source);
                throw_away(&commit.own_stages());
                stages.values().for_each(TargetStage::unmake);
                let _ = std::fs::remove_file(&self.journal);
                told?;
            }
            let kept = commit.strangers().map(Path::to_owned).collect();
            return Err(error::refused(refused, kept).into());
        }
        // Who waits for the log waits for all that was changed before it, where the file system keeps
        // that order: no power cut takes back what was told to be done.
        let (recorded, ()) = on_the_side(
            || chronicle.happens(),
            &|| chronicle.accompanied(),
            || {
                throw_away(&commit.stages);
                afterwards();
            },
        );
        // The next process tries to write down what could not be.
        recorded?;
        let over = set_aside(&self.journal);
        if over.is_ok() && commit.note.is_empty() {
            let _ = wait_for_end(&self.journal);
        }
        self.tidy(plan, &stages);
        self.tidy_found(plan);
        Ok(over.map_err(|source| disk(&self.journal, source))?)
    }

    /// Writes down how far the change is; `before` happens before that counts.
    fn write<E: From<TransactionError>>(
        &self,
        progress: JournalState,
        before: impl FnOnce(&StagedFile) -> Result<(), E>,
    ) -> Result<JournalState, E> {
        let journal = Journal {
            guarded: self.scope.guarded_folder().to_owned().into(),
            identity: FolderIdentity::of(self.scope.guarded_folder()),
            progress,
        };
        let failed = |source| disk(&self.journal, source);
        let draft = journal.draft(&self.journal).map_err(failed)?;
        before(&draft)?;
        draft.publish().map_err(failed)?;
        Ok(journal.progress)
    }
}

fn disk(path: &Path, source: io::Error) -> TransactionError {
    TransactionError::Disk {
        path: in_the_way(path).to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
