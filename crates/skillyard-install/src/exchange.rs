//! Moving a skill into its place in one step, and knowing afterwards whether it happened.
//!
//! After an exchange the old skill lies where the new one waited, and it stays there: only the
//! content tells which of the two is where. A second name for the old one would have to be made
//! from its own, and could be another skill's, or too long.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use skillyard_catalog::private_dir;

use crate::any_path::AnyPath;
use crate::existing::{ExistingEntry, ObservedEntry, look};
use crate::journal::{Move, MoveContent};
use carried::{carry, is_rest_of};

mod carried;

impl Move {
    /// Whether it has happened already.
    pub(crate) fn is_done(&self) -> bool {
        match &self.new {
            Some((_, content)) => content.is_at(&self.place),
            None => !exists(&self.place) || exists(&self.old) && !self.is_half_gone(),
        }
    }

    /// Whether it has happened, or still can: what is to take a place is there, or waits.
    pub(crate) fn can_be_done(&self) -> bool {
        let is_waiting = |(new, content): &(AnyPath, MoveContent)| content.is_at(new);
        self.new.as_ref().is_none_or(is_waiting) || self.is_done()
    }

    /// Moves what has not been moved.
    pub(crate) fn perform(&self) -> io::Result<()> {
        let Some((new, content)) = &self.new else {
            return vanish(&self.place, &self.old);
        };
        match rename(new, &self.place, RenameFlags::NOREPLACE) {
            // Of two targets that are one folder the first has put it there.
            Err(error) if self.is_taken(&error) && content.is_at(&self.place) => Ok(()),
            Err(error) if is_there(&error) && !self.is_taken(&error) => {
                exchange(new, &self.place, &self.old)
            }
            other => other,
        }
    }

    /// Whether an error says that something is in a place that was empty.
    pub(crate) fn is_taken(&self, error: &io::Error) -> bool {
        is_there(error) && self.seen == Some(ObservedEntry::Nothing)
    }

    /// Whether something in the place gives way.
    pub(crate) fn replaces(&self) -> bool {
        !matches!(self.seen, None | Some(ObservedEntry::Nothing))
    }

    /// Where something is that came out of the place, and is not what was seen there.
    pub(crate) fn stranger(&self) -> Option<&Path> {
        if !self.replaces() {
            return None;
        }
        let waits = |new: &&Path| self.number.is_some() && number_of(new) == self.number;
        let new = self.new.as_ref().map(|(new, _)| &**new);
        let came_out = new.filter(|new| !waits(new));
        let mut came_out = came_out.into_iter().chain([&*self.old]);
        came_out.find(|path| self.is_strange(path))
    }

    /// Whether somebody was in the place since it was looked at, before or after it was exchanged.
    pub(crate) fn is_overtaken(&self) -> bool {
        let is_changed = || self.is_strange(&self.place) && !self.is_half_gone();
        self.seen.is_some() && is_changed() || self.stranger().is_some()
    }

    /// Whether what is in the place is left of a folder that could only be copied.
    fn is_half_gone(&self) -> bool {
        is_rest_of(&self.place, &self.old)
    }

    /// Whether something lies there that is neither what was in the place nor what goes there.
    fn is_strange(&self, path: &Path) -> bool {
        let is_seen = || self.seen.as_ref().is_some_and(|seen| seen.is_at(path));
        let is_new = || {
            let new = self.new.as_ref();
            new.is_some_and(|(_, content)| content.is_at(path))
        };
        exists(path) && !is_seen() && !is_new()
    }

    /// Moves back what was moved.
    pub(crate) fn undo(&self) -> io::Result<()> {
        let back = |from: &Path, to: &Path| rename(from, to, RenameFlags::NOREPLACE);
        let Some((new, content)) = &self.new else {
            return self.put_back();
        };
        // What still waits was not moved, whatever is in its place: that may be anything of the user's.
        let waits = || self.number.is_some_and(|ours| number_of(new) == Some(ours));
        let was_moved = || !content.is_at(new) && !waits() && content.is_at(&self.place);
        if was_moved() {
            if exists(new) {
                return exchange(new, &self.place, &self.old);
            }
            // With its stage the old one is gone, too, and what is there is better than nothing.
            if new.parent().is_some_and(|stage| !exists(stage)) {
                return Ok(());
            }
            back(&self.place, new)?;
        }
        // Where nothing can be exchanged, and in journals of older versions, the old one has a
        // place of its own.
        self.put_back()
    }

    /// Puts the old one back into its place. If something else is there by now, it is the user's.
    fn put_back(&self) -> io::Result<()> {
        if self.is_half_gone() {
            private_dir::remove(&self.place)?;
        }
        if exists(&self.old) && !exists(&self.place) {
            return rename(&self.old, &self.place, RenameFlags::NOREPLACE);
        }
        Ok(())
    }
}

impl MoveContent {
    fn is_at(&self, place: &Path) -> bool {
        match (self, look(place)) {
            (Self::Folder(digest), ExistingEntry::Folder { digest: found, .. }) => *digest == found,
            (Self::Link(path), ExistingEntry::Link(found)) => **path == found,
            _ => false,
        }
    }
}

/// Whether `folder` is on another mount than the folder around it, so that a rename between them fails.
#[cfg(target_os = "linux")]
pub(crate) fn is_mounted_in(outer: &Path, folder: &Path) -> bool {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let mount = |path: &Path| {
        let found = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
        Some((found.stx_dev_major, found.stx_dev_minor, found.stx_mnt_id))
    };
    mount(outer) != mount(folder)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_mounted_in(outer: &Path, folder: &Path) -> bool {
    let device = |path: &Path| path.metadata().ok().map(|metadata| metadata.dev());
    device(outer) != device(folder)
}

/// The number of a folder or a link, which it keeps wherever it is moved.
pub(crate) fn number_of(path: &Path) -> Option<u64> {
    path.symlink_metadata().ok().map(|metadata| metadata.ino())
}

fn is_there(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn vanish(place: &Path, old: &Path) -> io::Result<()> {
    match put_aside(place, old) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !exists(place) => Ok(()),
        other => other,
    }
}

/// Both change places in one step; where the file system cannot, in two.
fn exchange(new: &Path, place: &Path, old: &Path) -> io::Result<()> {
    match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::XDEV) => {
            put_aside(place, old)?;
            rename(new, place, RenameFlags::NOREPLACE)
        }
        other => Ok(other?),
    }
}

/// Moves the old skill out of its place; the folder it goes to is made for the first that needs it.
fn put_aside(place: &Path, old: &Path) -> io::Result<()> {
    let mut moved = rename(place, old, RenameFlags::NOREPLACE);
    if let (Err(error), Some(folder)) = (&moved, old.parent())
        && error.kind() == io::ErrorKind::NotFound
    {
        std::fs::create_dir_all(folder)?;
        moved = rename(place, old, RenameFlags::NOREPLACE);
    }
    match moved {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => carry(place, old),
        Err(error) if is_there(&error) && is_rest_of(place, old) => carry(place, old),
        moved => moved,
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
