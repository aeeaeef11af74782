//! Places in a folder that others may write to, reached by descriptors alone.
//!
//! A path is looked up anew each time, and a program that runs beside us can put a link in the
//! way between two looks. Here every way begins at an open folder and goes through no link.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

/// What a file is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inode {
    /// The file system.
    pub(crate) device: u64,
    /// Its number there.
    pub(crate) number: u64,
}

impl Inode {
    /// What an open file is.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self {
            device: found.dev(),
            number: found.ino(),
        })
    }
}

/// A folder that stays the same, whatever happens to its path.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    folder: File,
}

impl Root {
    /// Opens a folder; no step of its path may be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
        Ok(Self::new(path, folder.into()))
    }

    /// A folder that was opened at this path.
    pub(crate) fn new(path: &Path, folder: File) -> Self {
        Self {
            path: path.to_owned(),
            folder,
        }
    }

    /// Where it was.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The open folder.
    pub(crate) fn file(&self) -> &File {
        &self.folder
    }

    /// The folder that holds a place, which is a relative path.
    pub(crate) fn folder_of(&self, place: &Path) -> io::Result<File> {
        let parent = place.parent().filter(|parent| *parent != Path::new(""));
        self.open_with(parent.unwrap_or(Path::new(".")), OFlags::DIRECTORY)
    }

    /// What is at a place, which is a relative path.
    pub(crate) fn open_at(&self, place: &Path) -> io::Result<File> {
        self.open_with(place, OFlags::empty())
    }

    fn open_with(&self, place: &Path, flags: OFlags) -> io::Result<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | flags;
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(openat2(&self.folder, place, flags, Mode::empty(), how)?.into())
    }
}

/// Whether an error says that something is no longer what it was when we looked.
pub(crate) fn is_change(error: &io::Error) -> bool {
    let changes = [
        Errno::NOENT,
        Errno::NOTDIR,
        Errno::LOOP,
        Errno::EXIST,
        Errno::XDEV,
        Errno::STALE,
    ];
    let number = error.raw_os_error();
    changes
        .iter()
        .any(|each| Some(each.raw_os_error()) == number)
}
