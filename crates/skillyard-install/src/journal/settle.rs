//! What becomes of a change whose process ended after it was committed.
//!
//! What it needs may be gone by then: somebody cleaned the project, or removed it and made another
//! one in the same place. So nothing is believed that is not there, and a project without a trace of
//! the change is not touched.

use std::io;
use std::path::Path;

use super::{AnyPath, Commit, Move};
use crate::chronicle::{CatchUp, Ending};
use crate::write::beside;

/// Whether the project is the one that the change was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Project {
    /// It is.
    Same,
    /// Only a trace of the change can tell.
    Unsure,
}

/// What can become of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prospect {
    /// Everything has happened.
    Done,
    /// All that is left to be done can be done.
    Ready,
    /// Something that is to take its place is nowhere.
    Incomplete,
    /// Nothing of it is here.
    Gone,
}

/// What has become of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is as it was before the change, or gone, or it is not known how it was.
    Old,
    /// The change has reached it.
    New,
    /// Somebody wrote something else.
    Foreign,
}

impl Commit {
    /// Finishes the change, or takes it back where it cannot be finished.
    pub(super) fn settle(
        &self,
        project: Project,
        folder: &Path,
        catch_up: CatchUp<'_>,
    ) -> io::Result<()> {
        let tell = |ending: Ending<'_>| match self.note.as_str() {
            "" => Ok(()),
            note => catch_up(note, ending),
        };
        let lost = || io::Error::new(io::ErrorKind::NotFound, "what was to be installed is gone");
        match self.prospect(project, folder) {
            Prospect::Done => tell(Ending::Happens),
            Prospect::Ready => {
                // It must not happen unrecorded, so it waits if it has to.
                tell(Ending::Happens)?;
                let Err(reason) = self.finish() else {
                    return Ok(());
                };
                if self.undo().is_err() {
                    return Err(reason);
                }
                tell(Ending::Undone(&reason))
            }
            Prospect::Incomplete => {
                self.undo()?;
                tell(Ending::Undone(&lost()))
            }
            Prospect::Gone => tell(Ending::Undone(&lost())),
        }
    }

    /// What is to be thrown away afterwards.
    pub(super) fn leftovers(self) -> Vec<AnyPath> {
        let drafts = self.files.iter().map(|(path, _)| beside(path).into());
        let drafts: Vec<AnyPath> = drafts.collect();
        self.stages.into_iter().chain(drafts).collect()
    }

    fn prospect(&self, project: Project, folder: &Path) -> Prospect {
        // Stages have names that no other change has, and go only after everything was done.
        let stages = self.stages.iter().map(|stage| stage.to_path_buf());
        // What lies elsewhere says nothing about what became of the project.
        let drafts = self.files.iter().map(|(path, _)| beside(path));
        let drafts = drafts.filter(|path| path.starts_with(folder));
        let waiting = self.moves.iter().filter_map(|each| each.new.as_ref());
        let waiting = waiting.map(|(new, _)| new.to_path_buf());
        let mut traces = stages.chain(drafts).chain(waiting);
        let has_traces = traces.any(|path| path.symlink_metadata().is_ok());
        let is_foreign = |state: &State| *state == State::Foreign;
        let found: Vec<State> = self.states().collect();
        // The files are the last to change, and only then the old skills are thrown away. The new
        // ones may have lost their bytes since; that is put right otherwise.
        let has_ended = !found.is_empty() && found.iter().all(|state| *state == State::New);
        if has_ended || !has_traces && self.is_done(&found) {
            Prospect::Done
        } else if !has_traces && project == Project::Unsure {
            Prospect::Gone
        } else if found.iter().any(is_foreign) {
            // Somebody changed it since, and knows better than we did.
            Prospect::Incomplete
        } else if self.moves.iter().all(Move::can_be_done) {
            Prospect::Ready
        } else {
            Prospect::Incomplete
        }
    }

    /// Whether everything has happened. The files are the last; who edits a skill or a file
    /// afterwards does not change what has happened.
    fn is_done(&self, files: &[State]) -> bool {
        match files {
            [] => self.moves.iter().all(Move::is_done),
            files => files.iter().all(|state| *state != State::Old),
        }
    }

    /// What has become of each file.
    fn states(&self) -> impl Iterator<Item = State> {
        let files = self.files.iter().enumerate();
        files.map(|(at, (path, text))| {
            let found = std::fs::read(path).ok();
            let is = |text: &str| found.as_deref() == Some(text.as_bytes());
            match self.before.get(at) {
                _ if is(text) => State::New,
                Some(Some(before)) if !is(before) && found.is_some() => State::Foreign,
                Some(None) if found.is_some() => State::Foreign,
                _ => State::Old,
            }
        })
    }
}
