//! Everything that a change needs, before any of it can be seen.

use std::collections::BTreeMap;
use std::path::Path;

use super::few::Few;
use super::replacement::Replacement;
use super::spans::Spans;
use super::stage::TargetStage;
use super::{Transaction, TransactionError, Trees, disk};
use crate::journal::{AnyPath, CommittedChange, drafts};
use crate::plan::Plan;
use crate::write::StagedFile;

impl Transaction<'_> {
    /// Stages what is new, and says what will happen, with the files that will be replaced and those
    /// that are waited for.
    pub(super) fn prepare(
        &self,
        plan: &Plan,
        stages: &BTreeMap<String, TargetStage>,
        trees: &Trees,
        files: Vec<Replacement>,
        note: String,
    ) -> Result<(CommittedChange, Vec<StagedFile>, Option<Few>), TransactionError> {
        let (mut files, mut before): (Vec<_>, Vec<_>) = files.into_iter().map(parted).unzip();
        // Where only one thread stages, another one has the time.
        let (put, beside) = rayon::join(|| self.stage(plan, stages, trees), || drafted(&files));
        let ((moves, span), mut beside) = (put?, beside?);
        let paths: Vec<&Path> = stages.values().map(|stage| &*stage.path).collect();
        let few = Few::of(&paths).map_err(|source| disk(&self.scope.root, source))?;
        if let (None, Some(span)) = (&few, span) {
            let text = Spans::of(self.scope).with(span);
            let (file, was) = parted(Replacement::of_own(self.scope.spans_file(), text));
            beside.extend(drafted(std::slice::from_ref(&file))?);
            files.push(file);
            before.push(was);
        }
        let commit = CommittedChange {
            stages: stages.values().map(|stage| stage.path.clone()).collect(),
            moves,
            files,
            before,
            note,
        };
        Ok((commit, beside, few))
    }
}

/// A file with what it will be, and what it was.
fn parted(file: Replacement) -> ((AnyPath, String), Option<String>) {
    ((file.path, file.text), file.before)
}

fn drafted(files: &[(AnyPath, String)]) -> Result<Vec<StagedFile>, TransactionError> {
    drafts(files).map_err(|(path, source)| disk(path, source))
}
