//! A folder's entries, in byte order.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{Dir, FileType, Mode, OFlags};

use super::Stamp;

/// A folder that is open, with its entries in byte order.
pub(super) struct OpenFolder {
    folder: Dir,
    pub(super) stamp: Stamp,
    pub(super) names: Vec<(String, FileType)>,
    /// Folders and links whose names are not UTF-8, so that no skill can be called like them.
    pub(super) unnameable: Vec<String>,
}

impl OpenFolder {
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())?;
        let stamp = Stamp::of(&rustix::fs::fstat(&folder)?);
        let mut folder = Dir::new(folder)?;
        let mut names = Vec::new();
        let mut unnameable = Vec::new();
        while let Some(entry) = folder.read() {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                if entry.file_type() != FileType::RegularFile {
                    unnameable.push(entry.file_name().to_string_lossy().into_owned());
                }
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => kind_of(folder.fd()?, name),
                kind => kind,
            };
            names.push((name.to_owned(), kind));
        }
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        unnameable.sort_unstable();
        Ok(Self {
            folder,
            stamp,
            names,
            unnameable,
        })
    }

    /// What its entries are opened below.
    pub(super) fn descriptor(&self) -> io::Result<BorrowedFd<'_>> {
        Ok(self.folder.fd()?)
    }

    /// The file that makes this folder a skill, if it is called like one.
    pub(super) fn spelling(&self) -> Option<&str> {
        let files = || {
            self.names
                .iter()
                .filter(|(_, kind)| *kind != FileType::Directory)
                .map(|(name, _)| name.as_str())
        };
        files().find(|name| *name == "skill.md").or_else(|| {
            files().find(|name| name.eq_ignore_ascii_case("skill.md") && *name != "SKILL.md")
        })
    }
}

fn kind_of(folder: BorrowedFd<'_>, name: &str) -> FileType {
    rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
}
