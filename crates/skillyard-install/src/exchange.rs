//! Moving a skill into its place in one step, and knowing afterwards whether it happened.

use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::journal::{Content, Move};
use crate::occupant::look;
use crate::plan::Occupant;

impl Move {
    /// Moves, unless that has happened already.
    pub(crate) fn perform(&self) -> io::Result<()> {
        let Some((new, content)) = &self.new else {
            return vanish(&self.place, &self.old);
        };
        match rename(new, &self.place, RenameFlags::NOREPLACE) {
            // It took its place before.
            Err(_) if !exists(new) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other,
        }
        // After the exchange the old one lies where the new one waited. If the process ended
        // just there, only the content tells which of the two it is.
        if !content.is_at(&self.place) {
            exchange(new, &self.place, &self.old)?;
        }
        if exists(new) {
            rename(new, &self.old, RenameFlags::NOREPLACE)?;
        }
        Ok(())
    }

    /// Moves back what was moved.
    pub(crate) fn undo(&self) -> io::Result<()> {
        match &self.new {
            None if exists(&self.old) => rename(&self.old, &self.place, RenameFlags::NOREPLACE),
            Some((new, _)) if exists(&self.old) => {
                rename(&self.place, new, RenameFlags::NOREPLACE)?;
                rename(&self.old, &self.place, RenameFlags::NOREPLACE)
            }
            // It took an empty place.
            Some((new, content)) if !exists(new) && content.is_at(&self.place) => {
                rename(&self.place, new, RenameFlags::NOREPLACE)
            }
            _ => Ok(()),
        }
    }
}

impl Content {
    fn is_at(&self, place: &Path) -> bool {
        match (self, look(place)) {
            (Self::Folder(digest), Occupant::Folder { digest: found, .. }) => *digest == found,
            (Self::Link(path), Occupant::Link(found)) => **path == found,
            _ => false,
        }
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn vanish(place: &Path, old: &Path) -> io::Result<()> {
    if exists(old) {
        return Ok(());
    }
    match rename(place, old, RenameFlags::NOREPLACE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Both change places in one step; where the file system cannot, in two.
fn exchange(new: &Path, place: &Path, old: &Path) -> io::Result<()> {
    match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            rename(place, old, RenameFlags::NOREPLACE)?;
            rename(new, place, RenameFlags::NOREPLACE)
        }
        other => Ok(other?),
    }
}

fn rename(from: &Path, to: &Path, flags: RenameFlags) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, flags) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if exists(to) => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => std::fs::rename(from, to),
        other => Ok(other?),
    }
}
