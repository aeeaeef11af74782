//! A folder read without following a link.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::retry_on_intr;

use super::paths::is_plain;
use super::stamp::{FileStat, nanoseconds};
use super::{TreeError, TreeFile, TreeLimits, is_left_out};

/// What makes a folder a repository.
pub(super) const REPOSITORY: &str = ".git";

/// Reads the files of a folder, following no link, but nothing at a path that is left out.
pub(super) fn read(
    folder: &Path,
    limits: &TreeLimits,
    is_left_out: impl FnMut(&str, FileType) -> bool,
) -> Result<Vec<TreeFile>, TreeError> {
    Ok(read_marked(folder, limits, is_left_out)?.0)
}

/// The same, with what tells of each file whether it was touched since.
pub(super) fn read_marked(
    folder: &Path,
    limits: &TreeLimits,
    is_left_out: impl FnMut(&str, FileType) -> bool,
) -> Result<(Vec<TreeFile>, Vec<FileStat>), TreeError> {
    let at = |source: rustix::io::Errno| TreeError::Read {
        path: folder.to_owned(),
        source: source.into(),
    };
    // The folder itself may be named through a link: that is the caller's choice.
    let opened = rustix::fs::open(
        folder,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(at)?;
    let mut reader = FolderReader {
        root: folder,
        limits,
        is_left_out,
        bytes: 0,
        files: Vec::new(),
        marks: Vec::new(),
    };
    reader.folder(opened, "", 0)?;
    Ok((reader.files, reader.marks))
}

struct FolderReader<'a, F> {
    root: &'a Path,
    limits: &'a TreeLimits,
    is_left_out: F,
    bytes: u64,
    files: Vec<TreeFile>,
    /// One for each file, from before it was read.
    marks: Vec<FileStat>,
}

impl<F: FnMut(&str, FileType) -> bool> FolderReader<'_, F> {
    fn folder(&mut self, folder: OwnedFd, below: &str, depth: usize) -> Result<(), TreeError> {
        if depth > self.limits.depth {
            return Err(TreeError::Depth(below.to_owned()));
        }
        let mut entries = Dir::new(folder).map_err(|error| self.failed(below, error))?;
        while let Some(entry) = entries.read() {
            let entry = entry.map_err(|error| self.failed(below, error))?;
            let folder = entries.fd().map_err(|error| self.failed(below, error))?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let name = name
                .to_str()
                .ok()
                .filter(|name| is_plain(name))
                .ok_or_else(|| TreeError::Name(name.to_string_lossy().into_owned()))?;
            // Whoever reads may want to know that there is a repository, which nobody gets.
            let is_repository = name == REPOSITORY;
            if is_left_out(name) && !is_repository {
                continue;
            }
            let path = if below.is_empty() {
                name.to_owned()
            } else {
                format!("{below}/{name}")
            };
            if (self.is_left_out)(&path, entry.file_type()) || is_repository {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
                        .map_err(|error| self.failed(&path, error))?;
                    FileType::from_raw_mode(stat.st_mode)
                }
                kind => kind,
            };
            match kind {
                FileType::Directory => {
                    let opened = open(folder, name, OFlags::DIRECTORY)
                        .map_err(|error| self.failed(&path, error))?;
                    self.folder(opened, &path, depth + 1)?;
                }
                FileType::RegularFile => self.file(folder, name, path)?,
                other => {
                    return Err(TreeError::NotAFile {
                        path,
                        kind: kind_of(other),
                    });
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, folder: BorrowedFd<'_>, name: &str, path: String) -> Result<(), TreeError> {
        if self.files.len() == self.limits.files {
            return Err(TreeError::Files(self.limits.files));
        }
        let opened = open(folder, name, OFlags::NONBLOCK).map_err(|e| self.failed(&path, e))?;
        let stat = rustix::fs::fstat(&opened).map_err(|error| self.failed(&path, error))?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Err(TreeError::NotAFile {
                path,
                kind: kind_of(kind),
            });
        }
        let left = self.limits.bytes - self.bytes;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if size > left {
            return Err(TreeError::Bytes(self.limits.bytes));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        let read = read_whole(&File::from(opened), size, left + 1, &mut bytes);
        read.map_err(|source| TreeError::Read {
            path: self.root.join(&path),
            source,
        })?;
        self.bytes += bytes.len() as u64;
        if self.bytes > self.limits.bytes {
            return Err(TreeError::Bytes(self.limits.bytes));
        }
        self.marks.push(FileStat {
            number: stat.st_ino,
            size,
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        });
        self.files.push(TreeFile {
            path,
            executable: stat.st_mode & 0o100 != 0,
            bytes,
        });
        Ok(())
    }

    fn failed(&self, path: &str, error: rustix::io::Errno) -> TreeError {
        TreeError::Read {
            path: self.root.join(path),
            source: error.into(),
        }
    }
}

/// Reads a file that has room in `bytes` and more. One that ends where it says is not asked whether
/// there is more.
fn read_whole(file: &File, size: u64, most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    retry_on_intr(|| rustix::io::read(file, spare_capacity(bytes)))?;
    let length = bytes.len() as u64;
    if length != size || bytes.len() == bytes.capacity() {
        file.take(most.saturating_sub(length)).read_to_end(bytes)?;
    }
    Ok(())
}

fn open(folder: impl AsFd, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(folder, name, flags, Mode::empty())
}

fn kind_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Directory => "a folder",
        _ => "not a file",
    }
}
