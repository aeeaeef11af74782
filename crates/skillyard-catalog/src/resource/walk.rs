//! Visiting what a skill consists of, in byte order of the paths.
//!
//! Each folder is opened from the descriptor of its parent, without following links, so that
//! exchanging a folder for a link during the walk leads nowhere.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, readlinkat, statat};
use rustix::io::Errno;
use skillyard_format::document::MAX_BYTES;
use skillyard_format::package::archive::is_litter;
use skillyard_format::package::{ContentDigest, Digest};

use super::digest::DigestLimits;
use super::error::ResourceError;
use super::path::shown;
use super::read::regular;
use super::root::{FILE, FOLDER, explain};
use crate::modes;
use crate::walk::Stamp;

/// How deep the folders of a skill are looked into: each one on the way down is held open.
pub const MAX_DEPTH: usize = 64;
/// How many folders a skill may have besides all the files that it may have.
pub const MAX_FOLDERS: usize = 20_000;
/// How many files and folders are looked at.
const MAX_ENTRIES: usize = DigestLimits::HERE.max_files + MAX_FOLDERS;

/// Something a walk came across.
pub(super) enum Visit<'a> {
    /// A regular file, as it was when its folder was listed.
    File {
        path: &'a [u8],
        folder: BorrowedFd<'a>,
        name: &'a CStr,
        stat: &'a Stat,
    },
    /// A symbolic link, which is not read.
    Link(Link<'a>),
    /// A file that some program left behind, which is none of the skill's; or what is left out, a
    /// folder with a `/` at its end.
    Litter { path: String },
    /// Something that is not read, for this reason.
    Other { path: String, reason: ResourceError },
}

/// Whether a walk goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkStep {
    On,
    Stop,
}

/// Visits everything below `folder`, whose path in the skill is `prefix`, but nothing called `.git`.
pub(super) fn walk(
    folder: OwnedFd,
    prefix: &str,
    visit: &mut dyn FnMut(Visit<'_>) -> Result<WalkStep, ResourceError>,
) -> Result<WalkStep, ResourceError> {
    walk_without(folder, prefix, &|_| false, visit)
}

/// As `walk`, but what is at a path that is left out is litter, and no folder there is looked into.
pub(super) fn walk_without(
    folder: OwnedFd,
    prefix: &str,
    is_left_out: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(Visit<'_>) -> Result<WalkStep, ResourceError>,
) -> Result<WalkStep, ResourceError> {
    let depth = prefix.split_terminator('/').count();
    let mut walker = Walker {
        visit,
        is_left_out,
        entries: 0,
    };
    walker.folder(folder, prefix.as_bytes(), depth)
}

struct Walker<'a> {
    is_left_out: &'a dyn Fn(&str) -> bool,
    visit: &'a mut dyn FnMut(Visit<'_>) -> Result<WalkStep, ResourceError>,
    entries: usize,
}

struct FolderEntry {
    name: CString,
    kind: FileType,
    stat: Stat,
}

impl Walker<'_> {
    fn folder(
        &mut self,
        folder: OwnedFd,
        path: &[u8],
        depth: usize,
    ) -> Result<WalkStep, ResourceError> {
        let error = |error| explain_bytes(path, error);
        let mut folder = Dir::new(folder).map_err(error)?;
        let entries = self.entries(&mut folder, path)?;
        let descriptor = folder.fd().map_err(error)?;
        for entry in &entries {
            if self.entry(descriptor, entry, path, depth)? == WalkStep::Stop {
                return Ok(WalkStep::Stop);
            }
        }
        Ok(WalkStep::On)
    }

    /// What is in a folder, in the order in which the paths below it sort.
    fn entries(
        &mut self,
        folder: &mut Dir,
        path: &[u8],
    ) -> Result<Vec<FolderEntry>, ResourceError> {
        let mut names = Vec::new();
        while let Some(entry) = folder.read() {
            let entry = entry.map_err(|error| explain_bytes(path, error))?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b".." | b".git") {
                continue;
            }
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(ResourceError::TooManyEntries { limit: MAX_ENTRIES });
            }
            names.push(entry.file_name().to_owned());
        }
        let descriptor = folder.fd().map_err(|error| explain_bytes(path, error))?;
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            match statat(descriptor, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => entries.push(FolderEntry {
                    name,
                    kind: FileType::from_raw_mode(stat.st_mode),
                    stat,
                }),
                // Removed since the folder was listed.
                Err(Errno::NOENT) => {}
                Err(error) => return Err(explain_bytes(path, error)),
            }
        }
        entries.sort_unstable_by(|a, b| a.sort_key().cmp(b.sort_key()));
        Ok(entries)
    }

    fn entry(
        &mut self,
        folder: BorrowedFd<'_>,
        entry: &FolderEntry,
        parent: &[u8],
        depth: usize,
    ) -> Result<WalkStep, ResourceError> {
        let path = join(parent, entry.name.to_bytes());
        let text = || String::from_utf8_lossy(&path);
        if std::str::from_utf8(&path).is_ok_and(self.is_left_out) {
            let end = match entry.kind {
                FileType::Directory if entry.is_empty(folder) => return Ok(WalkStep::On),
                FileType::Directory => "/",
                _ => "",
            };
            let path = format!("{}{end}", text());
            return (self.visit)(Visit::Litter { path });
        }
        let reason = match entry.kind {
            FileType::RegularFile if entry.is_litter(&path, folder) => {
                let path = text().into_owned();
                return (self.visit)(Visit::Litter { path });
            }
            FileType::RegularFile => {
                return (self.visit)(Visit::File {
                    path: &path,
                    folder,
                    name: &entry.name,
                    stat: &entry.stat,
                });
            }
            FileType::Directory if depth == MAX_DEPTH => ResourceError::TooDeep {
                path: shown(&text()),
                limit: MAX_DEPTH,
            },
            FileType::Directory => match openat(folder, &entry.name, FOLDER, Mode::empty()) {
                Ok(below) => return self.folder(below, &path, depth + 1),
                Err(error) => explain_bytes(&path, error),
            },
            FileType::Symlink => {
                return (self.visit)(Visit::Link(Link {
                    path: &path,
                    folder,
                    name: &entry.name,
                    stat: &entry.stat,
                }));
            }
            kind => ResourceError::NotRegular {
                path: shown(&text()),
                kind: kind.into(),
            },
        };
        let path = text().into_owned();
        (self.visit)(Visit::Other { path, reason })
    }
}

impl FolderEntry {
    /// Whether some program left the file behind. Executable bits only count where the file system keeps them.
    fn is_litter(&self, path: &[u8], folder: BorrowedFd<'_>) -> bool {
        let Ok(path) = std::str::from_utf8(path) else {
            return false;
        };
        let is_executable = Mode::from_raw_mode(self.stat.st_mode).contains(Mode::XUSR);
        is_litter(path, false) && !(is_executable && modes::are_kept_in(folder))
    }

    /// Whether it is a folder with nothing in it, as far as one can see.
    fn is_empty(&self, folder: BorrowedFd<'_>) -> bool {
        let opened = openat(folder, &self.name, FOLDER, Mode::empty());
        let Ok(mut entries) = opened.and_then(Dir::new) else {
            return false;
        };
        let is_inner = |name: &CStr| !matches!(name.to_bytes(), b"." | b"..");
        !entries.any(|entry| entry.map_or(true, |entry| is_inner(entry.file_name())))
    }

    /// A folder sorts as its files do, with the separator behind its name.
    fn sort_key(&self) -> impl Iterator<Item = u8> + '_ {
        let separator = (self.kind == FileType::Directory).then_some(b'/');
        self.name.to_bytes().iter().copied().chain(separator)
    }
}

/// The path as text, if it is readable.
pub(super) fn readable(path: &[u8]) -> Result<&str, ResourceError> {
    std::str::from_utf8(path).map_err(|_| ResourceError::NameNotText {
        path: shown(&String::from_utf8_lossy(path)),
    })
}

fn explain_bytes(path: &[u8], error: Errno) -> ResourceError {
    explain(&String::from_utf8_lossy(path), error)
}

fn join(parent: &[u8], name: &[u8]) -> Vec<u8> {
    if parent.is_empty() {
        name.to_owned()
    } else {
        [parent, b"/", name].concat()
    }
}

/// A symbolic link that a walk came across, as it was when its folder was listed.
pub(super) struct Link<'a> {
    pub(super) path: &'a [u8],
    pub(super) folder: BorrowedFd<'a>,
    pub(super) name: &'a CStr,
    pub(super) stat: &'a Stat,
}

impl Link<'_> {
    /// Why it is not read.
    pub(super) fn reason(&self) -> ResourceError {
        ResourceError::Symlink {
            path: shown(&self.text()),
        }
    }

    /// Its path, as far as it is text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.path)
    }

    /// The digest of where it leads, and of what is read there.
    pub(super) fn digest(&self) -> Result<Digest, ResourceError> {
        let target = readlinkat(self.folder, self.name, Vec::new());
        let target = target.map_err(|error| match error {
            // Something else took its place since its folder was listed.
            Errno::INVAL => self.reason(),
            error => explain(&self.text(), error),
        })?;
        let mut leads = ContentDigest::default();
        leads.add(target.to_bytes());
        if let Some(file) = self.instructions() {
            let mut content = Vec::new();
            let read = file.take(MAX_BYTES as u64 + 1).read_to_end(&mut content);
            read.map_err(|source| ResourceError::Io {
                path: self.text().into_owned(),
                source,
            })?;
            leads.add(b"\0");
            leads.add(&content);
        }
        Ok(leads.finish())
    }

    /// Its stamp, and that of the file that is read through it.
    pub(super) fn stamps(&self) -> [Option<Stamp>; 2] {
        let behind = self
            .is_instructions()
            .then(|| statat(self.folder, self.name, AtFlags::empty()).ok());
        [
            Some(Stamp::of(self.stat)),
            behind.flatten().as_ref().map(Stamp::of),
        ]
    }

    /// The file that is read through it.
    fn instructions(&self) -> Option<File> {
        if !self.is_instructions() {
            return None;
        }
        let flags = FILE.difference(OFlags::NOFOLLOW);
        let opened = openat(self.folder, self.name, flags, Mode::empty()).ok()?;
        Some(regular(&self.text(), opened).ok()?.0)
    }

    fn is_instructions(&self) -> bool {
        self.path.eq_ignore_ascii_case(b"SKILL.md")
    }
}
