//! What was committed is done, or taken back.

use std::io;
use std::path::Path;

use super::{Commit, Move, Refused};
use crate::write::{Draft, write_atomically};

impl Commit {
    /// The files, written beside those they replace.
    pub(crate) fn drafts(&self) -> io::Result<Vec<Draft>> {
        let files = self.files.iter();
        files
            .map(|(path, content)| Draft::write(path, content.as_bytes()))
            .collect()
    }

    /// Does everything for the first time. The drafts of the files are on the disk already. What
    /// refuses is named.
    pub(crate) fn perform(&self, drafts: Vec<Draft>) -> Result<(), Refused> {
        carry_out(self.moves.iter(), drafts)
    }

    /// Does what a process that ended did not.
    pub(super) fn finish(&self) -> io::Result<()> {
        let drafts = self.drafts()?;
        Draft::sync_all(drafts.iter())?;
        let left = self.moves.iter().filter(|each| !each.is_done());
        carry_out(left, drafts).map_err(|refused| refused.source)
    }

    /// Takes back what was done, the last first.
    pub(crate) fn undo(&self) -> io::Result<()> {
        for (at, (path, text)) in self.files.iter().enumerate().rev() {
            put_back(path, text, self.before.get(at))?;
        }
        self.moves.iter().rev().try_for_each(Move::undo)
    }
}

/// Gives a file that was replaced its old content; what somebody else made of it stays.
fn put_back(path: &Path, text: &str, before: Option<&Option<String>>) -> io::Result<()> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match std::fs::read(path) {
        Ok(found) if found == text.as_bytes() => {}
        Ok(_) => return Ok(()),
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

fn carry_out<'a>(moves: impl Iterator<Item = &'a Move>, drafts: Vec<Draft>) -> Result<(), Refused> {
    for each in moves {
        each.perform().map_err(|source| Refused {
            path: each.place.to_path_buf(),
            source,
        })?;
    }
    for draft in drafts {
        let path = draft.path().to_owned();
        draft.publish().map_err(|source| Refused { path, source })?;
    }
    Ok(())
}
