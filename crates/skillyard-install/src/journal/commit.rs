//! What was committed is done, or taken back.

use std::io;

use super::{Commit, Move, Refused};
use crate::write::Draft;

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
        for draft in &drafts {
            draft.sync()?;
        }
        let left = self.moves.iter().filter(|each| !each.is_done());
        carry_out(left, drafts).map_err(|refused| refused.source)
    }

    /// Takes back what was done, the last first.
    pub(crate) fn undo(&self) -> io::Result<()> {
        self.moves.iter().rev().try_for_each(Move::undo)
    }
}

fn carry_out<'a>(
    moves: impl Iterator<Item = &'a Move>,
    drafts: Vec<Draft>,
) -> Result<(), Refused> {
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
