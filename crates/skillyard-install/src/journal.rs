//! The journal: how a change that was interrupted is finished or undone.
//!
//! It is written before anything visible happens, first as `preparing`, which names the
//! folders that may be thrown away, then as `committed`, from which everything can be done
//! again. It lies in Skillyard's own folder, never in a project: a repository must not be
//! able to bring one along.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::any_path::AnyPath;
use crate::change_audit::CatchUp;
use crate::existing::ObservedEntry;
use crate::flock::Flock;
use crate::folder_identity::FolderIdentity;
use crate::scope::{Scope, ScopeKind};
use crate::write::StagedFile;
pub(crate) use commit::drafts;
use ended::cleared;
pub(crate) use ended::journals;
use settle::ProjectMatch;
pub(crate) use thrown_away::throw_away;

mod commit;
mod ended;
mod settle;
mod thrown_away;

/// A change in progress.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Journal {
    /// The folder whose lock the process holds that makes the change.
    pub(crate) guarded: AnyPath,
    /// Which folder that was: another one may be in the same place by now. Older versions did not say.
    #[serde(default)]
    pub(crate) identity: Option<FolderIdentity>,
    /// How far it is.
    pub(crate) progress: JournalState,
}

/// How far a change is.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum JournalState {
    /// Nothing has happened yet that can be seen.
    Preparing {
        /// Folders and files to throw away.
        stages: Vec<AnyPath>,
    },
    /// Everything is ready, and will happen.
    Committed(CommittedChange),
}

/// What will happen.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CommittedChange {
    /// Folders to throw away afterwards.
    pub(crate) stages: Vec<AnyPath>,
    /// Moves, in order.
    pub(crate) moves: Vec<Move>,
    /// Files and their new content.
    pub(crate) files: Vec<(AnyPath, String)>,
    /// What each of the files was before; nothing where there was none. Older versions did not say.
    #[serde(default)]
    pub(crate) before: Vec<Option<String>>,
    /// What is to be written down about it.
    #[serde(default)]
    pub(crate) note: String,
}

/// A skill that takes its place, or leaves it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Move {
    /// The place.
    pub(crate) place: AnyPath,
    /// Where the new one waits, and what it is; nothing when the place is to be empty.
    pub(crate) new: Option<(AnyPath, MoveContent)>,
    /// Where the old one goes.
    pub(crate) old: AnyPath,
    /// What was in the place when the change was worked out; nothing else is thrown away. Older
    /// versions did not say.
    #[serde(default)]
    pub(crate) seen: Option<ObservedEntry>,
    /// The number of the folder or link that waits, where something gives way to it: then what came
    /// out is not taken for it, whatever a power cut made of either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
}

/// What could not be done.
#[derive(Debug)]
pub(crate) struct RefusedMove {
    /// What was to be changed.
    pub(crate) path: PathBuf,
    /// Who refused.
    pub(crate) cause: RefusalCause,
    /// Why it failed.
    pub(crate) source: io::Error,
}

/// Who refused a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalCause {
    /// The disk.
    Disk,
    /// We did: somebody put something else into a place since it was looked at.
    Changed,
}

/// What is put into a place.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum MoveContent {
    /// A folder.
    Folder(Digest),
    /// A link.
    Link(AnyPath),
}

impl Journal {
    /// The journal of a change that did not end.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        match std::fs::read(path) {
            // Only `committed` is waited for: a power cut took away the bytes of a `preparing`.
            Ok(bytes) if bytes.iter().all(|byte| *byte == 0) => Ok(None),
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes it beside its place, whole; it counts once it is published.
    pub(crate) fn draft(&self, path: &Path) -> io::Result<StagedFile> {
        let mut bytes = Vec::new();
        serde_json::to_writer(&mut bytes, self)?;
        StagedFile::write(path, &bytes)
    }

    /// The same change where the folder is now; nothing if it reaches beyond the folder.
    fn moved_to(self, folder: &Path) -> Option<Self> {
        let there = |path: &AnyPath| {
            let below = path.strip_prefix(&self.guarded).ok()?;
            Some(AnyPath::from(folder.join(below)))
        };
        let all = |paths: &[AnyPath]| paths.iter().map(there).collect::<Option<Vec<_>>>();
        let progress = match self.progress {
            JournalState::Preparing { stages } => JournalState::Preparing {
                stages: all(&stages)?,
            },
            JournalState::Committed(commit) => {
                let moves = commit.moves.into_iter().map(|each| {
                    let new = match each.new {
                        Some((path, content)) => Some((there(&path)?, content)),
                        None => None,
                    };
                    Some(Move {
                        place: there(&each.place)?,
                        new,
                        old: there(&each.old)?,
                        seen: each.seen,
                        number: each.number,
                    })
                });
                // Of the files some lie in Skillyard's own folder, and stay there.
                let files = commit.files.into_iter();
                let files = files.map(|(path, text)| (there(&path).unwrap_or(path), text));
                JournalState::Committed(CommittedChange {
                    stages: all(&commit.stages)?,
                    moves: moves.collect::<Option<_>>()?,
                    files: files.collect(),
                    before: commit.before,
                    note: commit.note,
                })
            }
        };
        Some(Self {
            guarded: folder.to_owned().into(),
            identity: self.identity,
            progress,
        })
    }

    /// Finishes or undoes the change, as far as it went.
    pub(crate) fn recover(self, path: &Path, catch_up: CatchUp<'_>) -> io::Result<()> {
        let stages = match self.progress {
            JournalState::Preparing { stages } => stages,
            JournalState::Committed(commit) => {
                let identity = FolderIdentity::of(&self.guarded);
                let project = match self.identity {
                    Some(ours) if identity == Some(ours) => ProjectMatch::Same,
                    _ => ProjectMatch::Unsure,
                };
                commit.settle(project, &self.guarded, catch_up)?
            }
        };
        throw_away(&stages);
        std::fs::remove_file(path)
    }
}

/// Finishes or undoes every change whose process has ended, and leaves those in progress alone.
///
/// Returns the journals that could not be worked off, with the reason.
pub fn recover_all(skillyard_home: &Path, catch_up: CatchUp<'_>) -> Vec<(PathBuf, io::Error)> {
    let mut failed = Vec::new();
    for path in cleared(skillyard_home) {
        if let Err(error) = recover_one(&path, catch_up) {
            failed.push((path, error));
        }
    }
    failed
}

/// The same for the change of a project that was moved meanwhile: its journal goes by where it was,
/// and says which folder that is.
pub fn recover_moved(scope: &Scope, catch_up: CatchUp<'_>) -> io::Result<()> {
    let Some(identity) =
        FolderIdentity::of(&scope.root).filter(|_| scope.kind == ScopeKind::Project)
    else {
        return Ok(());
    };
    let is_ours = |journal: &Journal| {
        journal.identity == Some(identity) && FolderIdentity::of(&journal.guarded) != Some(identity)
    };
    for path in journals(&scope.skillyard_home) {
        // What cannot be read is told of by those who read all of them.
        let read = || Journal::read(&path).ok().flatten().filter(is_ours);
        if path != scope.journal_file()
            && read().is_some()
            && let Some(_guard) = Flock::try_folder(&scope.root)?
            && let Some(journal) = read().and_then(|journal| journal.moved_to(&scope.root))
        {
            journal.recover(&path, catch_up)?;
        }
    }
    Ok(())
}

fn recover_one(path: &Path, catch_up: CatchUp<'_>) -> io::Result<()> {
    let Some(journal) = Journal::read(path)? else {
        return Ok(());
    };
    let guard = match Flock::try_folder(&journal.guarded) {
        // The project was removed, or is on a disk that is not here. Who makes another one in the
        // same place drops the journal.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let Some(_guard) = guard else {
        return Ok(());
    };
    // Read again: it may have been finished while we looked.
    match Journal::read(path)? {
        Some(journal) => journal.recover(path, catch_up),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_a_power_cut_took_are_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.json");
        for lost in [&b""[..], &[0; 64]] {
            std::fs::write(&path, lost).unwrap();
            assert!(Journal::read(&path).unwrap().is_none());
        }
        std::fs::write(&path, "{\"progress\":").unwrap();
        assert!(Journal::read(&path).is_err());
    }
}
