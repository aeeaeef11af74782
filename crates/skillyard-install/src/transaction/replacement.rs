//! The files that change with the skills, and what they were.

use std::path::PathBuf;

use super::{Transaction, TransactionError, disk};
use crate::journal::AnyPath;
use crate::plan::Plan;
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
