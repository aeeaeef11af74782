//! The folders that were made for skills: they go with the last skill in them, because an agent
//! whose folder is there counts as one that is in use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Transaction;
use super::stage::TargetStage;
use crate::any_path::AnyPath;
use crate::plan::{Plan, PlanStep};
use crate::text::text_if_there;
use crate::write::StagedFile;

impl Transaction<'_> {
    /// Notes which folders were made, and removes those in which nothing is any more. Where that fails
    /// an empty folder stays, and nothing else.
    pub(super) fn tidy(&self, plan: &Plan, stages: &BTreeMap<String, TargetStage>) {
        let filled = plan.steps.iter().filter(|step| is_put(step));
        let filled: BTreeSet<&str> = filled.map(|step| step.place().0).collect();
        let (kept, emptied): (Vec<_>, Vec<_>) = stages
            .iter()
            .partition(|(target, _)| filled.contains(&***target));
        for (_, stage) in &emptied {
            stage.unmake();
        }
        let new: Vec<PathBuf> = kept
            .into_iter()
            .flat_map(|(_, stage)| stage.made.clone())
            .collect();
        if new.is_empty() && emptied.is_empty() {
            return;
        }
        let before = noted(&self.scope.made_file());
        let mut all: BTreeSet<PathBuf> = before.iter().cloned().collect();
        all.extend(new.iter().map(|folder| self.within(folder)));
        if !emptied.is_empty() {
            // What lies in another comes after it.
            for folder in all.clone().iter().rev() {
                let path = self.scope.root.join(folder);
                if std::fs::remove_dir(&path).is_ok() || !path.exists() {
                    all.remove(folder);
                }
            }
        }
        if all != before {
            note(&self.scope.made_file(), all);
        }
    }

    /// A folder as it is written down: a project may be moved.
    fn within(&self, folder: &Path) -> PathBuf {
        folder
            .strip_prefix(&self.scope.root)
            .unwrap_or(folder)
            .to_owned()
    }
}

fn is_put(step: &PlanStep) -> bool {
    matches!(step, PlanStep::Put { .. })
}

/// The folders that a record names; what cannot be read says nothing.
pub(super) fn noted(file: &Path) -> BTreeSet<PathBuf> {
    let text = text_if_there(file).ok().flatten();
    let folders = text.and_then(|text| made_folders(&text).ok());
    folders.unwrap_or_default()
}

/// What the record says.
pub(crate) fn made_folders(text: &str) -> serde_json::Result<BTreeSet<PathBuf>> {
    let folders: Vec<AnyPath> = serde_json::from_str(text)?;
    let folders = folders.into_iter();
    Ok(folders.map(|folder| folder.to_path_buf()).collect())
}

/// Writes a record of folders; one of none goes.
fn note(file: &Path, folders: BTreeSet<PathBuf>) {
    if folders.is_empty() {
        let _ = std::fs::remove_file(file);
        return;
    }
    let Some(text) = text(folders) else {
        return;
    };
    // Not through a link that somebody put there.
    let _ = StagedFile::write(file, text.as_bytes()).and_then(StagedFile::publish);
}

/// A record of folders as it is written.
pub(super) fn text(folders: BTreeSet<PathBuf>) -> Option<String> {
    let folders: Vec<AnyPath> = folders.into_iter().map(AnyPath::from).collect();
    serde_json::to_string(&folders).ok()
}
