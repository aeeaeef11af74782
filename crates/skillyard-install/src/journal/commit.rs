//! What was committed is done, or taken back.

use std::io;
use std::path::Path;

use rayon::prelude::*;
use skillyard_catalog::regular_file::{Links, NotRead, read};

use super::{CommittedChange, Move, RefusalCause, RefusedMove};
use crate::any_path::AnyPath;
use crate::text::MOST;
use crate::write::{StagedFile, write_atomically};

impl CommittedChange {
    /// Makes every move, then publishes the files, which are synced already.
    pub(crate) fn perform(&self, drafts: Vec<StagedFile>) -> Result<(), RefusedMove> {
        self.carry_out(self.moves.iter(), drafts)
    }

    /// Does what a process that ended did not.
    pub(super) fn finish(&self) -> io::Result<()> {
        let drafts = drafts(&self.files).map_err(|(_, source)| source)?;
        StagedFile::sync_all(&drafts)?;
        let left = self.moves.iter().filter(|each| !each.is_done());
        let done = self.carry_out(left, drafts);
        done.map_err(|refused| refused.source)
    }

    /// Takes back what was done, the last first.
    pub(crate) fn undo(&self) -> io::Result<()> {
        for (at, (path, text)) in self.files.iter().enumerate().rev() {
            put_back(path, text, self.before.get(at))?;
        }
        self.moves.iter().rev().try_for_each(Move::undo)
    }

    /// What came out of a place, or lies in the stages in its stead, and was not seen there before.
    pub(crate) fn strangers(&self) -> impl Iterator<Item = &Path> {
        self.moves.iter().filter_map(Move::stranger)
    }

    /// The stages in which there is nothing of anybody else.
    pub(crate) fn own_stages(&self) -> Vec<AnyPath> {
        let is_own = |stage: &&AnyPath| !self.strangers().any(|path| path.starts_with(stage));
        self.stages.iter().filter(is_own).cloned().collect()
    }

    /// Nothing of it can be seen in a file before all that came out was looked at.
    fn carry_out<'a>(
        &'a self,
        moves: impl Iterator<Item = &'a Move>,
        drafts: Vec<StagedFile>,
    ) -> Result<(), RefusedMove> {
        for each in moves {
            each.perform().map_err(|source| {
                if each.is_taken(&source) {
                    return changed(each);
                }
                RefusedMove {
                    path: each.place.to_path_buf(),
                    cause: RefusalCause::Disk,
                    source,
                }
            })?;
        }
        let gave_way = self.moves.iter().filter(|each| each.replaces());
        let gave_way: Vec<&Move> = gave_way.collect();
        let is_strange = |each: &&&Move| each.stranger().is_some();
        if let Some(each) = gave_way.par_iter().find_first(is_strange) {
            return Err(changed(each));
        }
        for draft in drafts {
            let path = draft.path().to_owned();
            draft.publish().map_err(|source| RefusedMove {
                path,
                cause: RefusalCause::Disk,
                source,
            })?;
        }
        Ok(())
    }
}

/// Files, written beside those they replace. Where one cannot be, it is named.
pub(crate) fn drafts(files: &[(AnyPath, String)]) -> Result<Vec<StagedFile>, (&Path, io::Error)> {
    let files = files.iter();
    files
        .map(|(path, content)| {
            StagedFile::write(path, content.as_bytes()).map_err(|source| (&**path, source))
        })
        .collect()
}

/// That somebody was in a place meanwhile.
fn changed(each: &Move) -> RefusedMove {
    RefusedMove {
        path: each.place.to_path_buf(),
        cause: RefusalCause::Changed,
        source: changed_meanwhile(&each.place),
    }
}

/// The same as a reason.
pub(super) fn changed_meanwhile(place: &Path) -> io::Error {
    let reason = format!("somebody changed `{}` meanwhile", place.display());
    io::Error::new(io::ErrorKind::AlreadyExists, reason)
}

/// Gives a file that was replaced its old content; what somebody else made of it stays.
fn put_back(path: &Path, text: &str, before: Option<&Option<String>>) -> io::Result<()> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match read(path, Links::Followed, MOST) {
        Ok(found) if found == text.as_bytes() => {}
        Ok(_) => return Ok(()),
        Err(error) if NotRead::of(&error).is_some() => return Ok(()),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | IsADirectory) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    match before {
        Some(Some(before)) => write_atomically(path, before.as_bytes()),
        Some(None) => std::fs::remove_file(path),
        None => Err(io::Error::other("it is not known what it was before")),
    }
}
