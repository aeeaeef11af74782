//! Links that decide about others, such as `CLAUDE.md -> AGENTS.md`.
//!
//! A link cannot be a mount, so a program that may write to its folder can replace it. What it
//! leads to is read-only while the program runs; the link itself is put back when it ends.
//!
//! That is done outside of any sandbox while other programs may run in the same workspace. So
//! it happens in the folder that was opened before, only while that is still in its place, and
//! nothing is deleted but a link: what stands in the place of one is set aside.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, FileType, Gid, RenameFlags, Uid};
use rustix::io::Errno;

use super::beneath::{Inode, Root};
use super::guard::Guard;

/// How often something may come between two steps.
const MAX_TRIES: usize = 10;

/// The most that is set aside for one link.
const MAX_ASIDE: usize = 100;

/// The links of one run, as they were before it.
#[derive(Default)]
pub(crate) struct Links {
    kept: Vec<Link>,
}

/// A link as it was, and the folder that holds it.
pub(crate) struct Link {
    /// The folder that may be written to.
    pub(crate) root: Rc<Root>,
    /// Its place in there.
    pub(crate) place: PathBuf,
    /// What it says.
    pub(crate) says: PathBuf,
    /// Whose it is; root puts back what is not root's.
    pub(crate) owner: (u32, u32),
    /// The folder that holds it.
    pub(crate) folder: File,
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is what it was.
    Kept,
    /// It was replaced, and was put back.
    PutBack,
    /// It was replaced or moved away, and could not be put back.
    Lost,
}

impl Links {
    /// Notes the links of a writable folder.
    pub(crate) fn note(&mut self, root: &Rc<Root>, guard: &Guard) -> io::Result<()> {
        for (place, says) in &guard.links {
            let folder = root.folder_of(place)?;
            let found = rustix::fs::statat(&folder, name(place), AtFlags::SYMLINK_NOFOLLOW)?;
            self.kept.push(Link {
                root: Rc::clone(root),
                place: place.clone(),
                says: says.clone(),
                owner: (found.st_uid, found.st_gid),
                folder,
            });
        }
        Ok(())
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Link> {
        self.kept.iter()
    }

    /// Puts back those that are no longer what they were, and names them.
    pub(crate) fn put_back(&self) -> Vec<(PathBuf, Fate)> {
        let fates = self.kept.iter().map(|link| (link.path(), link.put_back()));
        fates.filter(|(_, fate)| *fate != Fate::Kept).collect()
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        // Also where following the program failed, and nobody asked what became of them.
        let _ = self.put_back();
    }
}

impl Link {
    /// Where it was.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.path().join(&self.place)
    }

    /// Puts it back, unless it is what it was.
    pub(crate) fn put_back(&self) -> Fate {
        if !self.is_in_place().unwrap_or(false) {
            return Fate::Lost;
        }
        if self.is_there() {
            return Fate::Kept;
        }
        let mut done = self.replace();
        if done == Err(Errno::ACCESS) && self.open_up().is_ok() {
            done = self.replace();
        }
        done.map_or(Fate::Lost, |()| Fate::PutBack)
    }

    /// Whether the folder that held it is still where it was.
    fn is_in_place(&self) -> io::Result<bool> {
        let now = self.root.folder_of(&self.place)?;
        Ok(Inode::of(&now)? == Inode::of(&self.folder)?)
    }

    fn is_there(&self) -> bool {
        let says = rustix::fs::readlinkat(&self.folder, name(&self.place), Vec::new());
        says.is_ok_and(|says| says.to_bytes() == self.says.as_os_str().as_bytes())
    }

    fn replace(&self) -> rustix::io::Result<()> {
        let name = name(&self.place);
        for _ in 0..MAX_TRIES {
            self.clear(name)?;
            match rustix::fs::symlinkat(&self.says, &self.folder, name) {
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    let (user, group) = (Uid::from_raw(self.owner.0), Gid::from_raw(self.owner.1));
                    let flags = AtFlags::SYMLINK_NOFOLLOW;
                    // Only root can, and only root has to.
                    let _ = rustix::fs::chownat(&self.folder, name, Some(user), Some(group), flags);
                    return Ok(());
                }
            }
        }
        Err(Errno::EXIST)
    }

    /// Takes away what stands there: a link says nothing that is missed, the rest is set aside.
    fn clear(&self, name: &OsStr) -> rustix::io::Result<()> {
        let folder = &self.folder;
        let found = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            other => FileType::from_raw_mode(other?.st_mode),
        };
        if found == FileType::Symlink {
            return rustix::fs::unlinkat(folder, name, AtFlags::empty());
        }
        for number in 1..=MAX_ASIDE {
            let aside = aside(name, number);
            let flags = RenameFlags::NOREPLACE;
            match rustix::fs::renameat_with(folder, name, folder, &aside, flags) {
                Err(Errno::EXIST) => {}
                // Some file systems cannot be asked not to replace anything.
                Err(Errno::INVAL) => {
                    let there = rustix::fs::statat(folder, &aside, AtFlags::SYMLINK_NOFOLLOW);
                    if there.is_err() {
                        return rustix::fs::renameat(folder, name, folder, &aside);
                    }
                }
                other => return other,
            }
        }
        Err(Errno::EXIST)
    }

    /// A program may have closed the folder to its owner.
    fn open_up(&self) -> io::Result<()> {
        let path = format!("/proc/self/fd/{}", self.folder.as_raw_fd());
        let mode = self.folder.metadata()?.permissions().mode();
        fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o700))
    }
}

fn name(place: &Path) -> &OsStr {
    place.file_name().unwrap_or_default()
}

/// What is set aside is called after what it replaced.
fn aside(name: &OsStr, number: usize) -> OsString {
    let mut aside = name.to_owned();
    aside.push(".replaced");
    if number > 1 {
        aside.push(format!("-{number}"));
    }
    aside
}
