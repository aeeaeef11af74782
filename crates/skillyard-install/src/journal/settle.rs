//! What becomes of a change whose process ended after it was committed.
//!
//! What it needs may be gone by then: somebody cleaned the project, or removed it and made another
//! one in the same place. So nothing is believed that is not there, and a project without a trace of
//! the change is not touched. And what somebody wrote into a place since is theirs: it stays there, or
//! goes back there, and the change is undone.

use std::io;
use std::path::Path;

use skillyard_catalog::regular_file::{Links, NotRead, read};

use super::commit::changed_meanwhile;
use super::{CommittedChange, Move};
use crate::any_path::AnyPath;
use crate::change_audit::{CatchUp, ChangeOutcome};
use crate::text::MOST;
use crate::write::beside;

/// Whether the project is the one that the change was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProjectMatch {
    /// It is.
    Same,
    /// Only a trace of the change can tell.
    Unsure,
}

/// What can become of a change.
#[derive(Debug, Clone, Copy)]
enum RecoveryPlan<'a> {
    /// Everything has happened.
    Done,
    /// All that is left to be done can be done.
    Ready,
    /// Somebody put something else into the place of a move, or changed what was there.
    Overtaken(&'a Move),
    /// Something that is to take its place is nowhere.
    Incomplete,
    /// Nothing of it is here.
    Gone,
}

/// What has become of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileState {
    /// It is as it was before the change, or gone, or it is not known how it was.
    Old,
    /// The change has reached it.
    New,
    /// Somebody wrote something else.
    Foreign,
}

impl CommittedChange {
    /// Finishes the change, or takes it back where it cannot be finished. Says what is to be thrown
    /// away afterwards.
    pub(super) fn settle(
        &self,
        project: ProjectMatch,
        folder: &Path,
        catch_up: CatchUp<'_>,
    ) -> io::Result<Vec<AnyPath>> {
        let tell = |ending: ChangeOutcome<'_>| match self.note.as_str() {
            "" => Ok(()),
            note => catch_up(note, ending),
        };
        let lost = || io::Error::new(io::ErrorKind::NotFound, "what was to be installed is gone");
        let undone = |reason: &io::Error| {
            tell(ChangeOutcome::Undone(&self.with_strangers(reason)))?;
            Ok(self.leftovers(self.own_stages()))
        };
        match self.prospect(project, folder) {
            // What came out was looked at before.
            RecoveryPlan::Done => tell(ChangeOutcome::Happens)?,
            RecoveryPlan::Ready => {
                // It must not happen unrecorded, so it waits if it has to.
                tell(ChangeOutcome::Happens)?;
                if let Err(reason) = self.finish() {
                    if self.undo().is_err() {
                        return Err(reason);
                    }
                    return undone(&reason);
                }
            }
            RecoveryPlan::Overtaken(each) => {
                self.undo()?;
                return undone(&changed_meanwhile(&each.place));
            }
            RecoveryPlan::Incomplete => {
                self.undo()?;
                return undone(&lost());
            }
            RecoveryPlan::Gone => return undone(&lost()),
        }
        Ok(self.leftovers(self.stages.clone()))
    }

    /// What is to be thrown away beside stages.
    fn leftovers(&self, stages: Vec<AnyPath>) -> Vec<AnyPath> {
        let drafts = self.files.iter().map(|(path, _)| beside(path).into());
        stages.into_iter().chain(drafts).collect()
    }

    /// A reason, and where something of somebody else is that could not go back.
    fn with_strangers(&self, reason: &io::Error) -> io::Error {
        let kept = self.strangers().map(|path| path.display().to_string());
        let kept: Vec<String> = kept.collect();
        let text = match kept.as_slice() {
            [] => reason.to_string(),
            kept => format!(
                "{reason}; what was there is kept in `{}`",
                kept.join("`, `")
            ),
        };
        io::Error::new(reason.kind(), text)
    }

    fn prospect(&self, project: ProjectMatch, folder: &Path) -> RecoveryPlan<'_> {
        // Stages have names that no other change has, and go only after everything was done.
        let stages = self.stages.iter().map(|stage| stage.to_path_buf());
        // What lies elsewhere says nothing about what became of the project.
        let drafts = self.files.iter().map(|(path, _)| beside(path));
        let drafts = drafts.filter(|path| path.starts_with(folder));
        let waiting = self.moves.iter().filter_map(|each| each.new.as_ref());
        let waiting = waiting.map(|(new, _)| new.to_path_buf());
        let mut traces = stages.chain(drafts).chain(waiting);
        let has_traces = traces.any(|path| path.symlink_metadata().is_ok());
        let is_foreign = |state: &FileState| *state == FileState::Foreign;
        let found: Vec<FileState> = self.states().collect();
        // The files are the last to change, and only then the old skills are thrown away. The new
        // ones may have lost their bytes since; that is put right otherwise.
        let has_ended = !found.is_empty() && found.iter().all(|state| *state == FileState::New);
        if has_ended || !has_traces && self.is_done(&found) {
            RecoveryPlan::Done
        } else if !has_traces && project == ProjectMatch::Unsure {
            RecoveryPlan::Gone
        } else if found.iter().any(is_foreign) {
            // Somebody changed it since, and knows better than we did.
            RecoveryPlan::Incomplete
        } else if !self.moves.iter().all(Move::can_be_done) {
            RecoveryPlan::Incomplete
        } else if let Some(each) = self.moves.iter().find(|each| each.is_overtaken()) {
            RecoveryPlan::Overtaken(each)
        } else {
            RecoveryPlan::Ready
        }
    }

    /// Whether everything has happened. The files are the last; who edits a skill or a file
    /// afterwards does not change what has happened.
    fn is_done(&self, files: &[FileState]) -> bool {
        match files {
            [] => self.moves.iter().all(Move::is_done),
            files => files.iter().all(|state| *state != FileState::Old),
        }
    }

    /// What has become of each file.
    fn states(&self) -> impl Iterator<Item = FileState> {
        let files = self.files.iter().enumerate();
        files.map(|(at, (path, text))| {
            let found = read(path, Links::Followed, MOST);
            let is_none = found.as_ref().is_err_and(|why| NotRead::of(why).is_some());
            let found = found.ok();
            let is = |text: &str| found.as_deref() == Some(text.as_bytes());
            match self.before.get(at) {
                _ if is(text) => FileState::New,
                // A pipe was put there, or what nobody could have written.
                _ if is_none => FileState::Foreign,
                Some(Some(before)) if !is(before) && found.is_some() => FileState::Foreign,
                Some(None) if found.is_some() => FileState::Foreign,
                _ => FileState::Old,
            }
        })
    }
}
