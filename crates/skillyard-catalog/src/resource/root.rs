//! The folder of a skill, held open, and paths opened beneath it.
//!
//! On Linux one `openat2` call does it: the kernel refuses to leave the folder or to follow a link at any step.
//! Where that call is missing (other systems, old kernels, strict containers) the path is walked one
//! component at a time, each opened without following links from the descriptor of the one before, which
//! gives the same guarantee with more calls: at no time is a path of more than one component resolved.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::error::{FileKind, ResourceError};
use super::path::RelativePath;

/// The folder of a skill, from which its files are read.
///
/// The path of the folder itself may pass through symbolic links: the caller that found the skill decided about those.
#[derive(Debug)]
pub struct SkillRoot {
    path: PathBuf,
    pub(super) opener: Opener,
}

impl SkillRoot {
    /// Opens the folder of a skill.
    pub fn open(path: &Path) -> Result<Self, ResourceError> {
        Self::open_with(path, Resolver::default())
    }

    /// Opens the folder of a skill and fixes how paths below it are resolved.
    #[doc(hidden)]
    pub fn open_with(path: &Path, resolver: Resolver) -> Result<Self, ResourceError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let folder =
            rustix::fs::open(path, flags, Mode::empty()).map_err(|error| ResourceError::Root {
                path: path.to_owned(),
                source: error.into(),
            })?;
        Ok(Self {
            path: path.to_owned(),
            opener: Opener::new(folder, resolver),
        })
    }

    /// The path the folder was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What an error of the system means for `path`.
pub(super) fn explain(path: &str, error: Errno) -> ResourceError {
    let path = path.to_owned();
    match error {
        Errno::NOENT => ResourceError::NotFound { path },
        Errno::LOOP => ResourceError::Symlink { path },
        Errno::XDEV => ResourceError::Escapes { path },
        Errno::NOTDIR => ResourceError::NotFolder { path },
        // A socket cannot be opened at all.
        Errno::NXIO => ResourceError::NotRegular {
            path,
            kind: FileKind::Socket,
        },
        _ => ResourceError::Io {
            path,
            source: error.into(),
        },
    }
}

/// For regular files: never waits for a pipe, never becomes the controlling terminal, never follows a link.
pub(super) const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);
/// For folders that are listed.
pub(super) const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::DIRECTORY);
/// For folders that are only passed through, which need not be readable where the system knows `O_PATH`.
#[cfg(any(target_os = "linux", target_os = "android"))]
const STEP: OFlags = OFlags::PATH
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::DIRECTORY);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEP: OFlags = FOLDER;

/// How a path is resolved; only tests choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resolver {
    /// By the kernel in one call where it can, otherwise step by step.
    #[default]
    Best,
    /// Step by step.
    Walk,
}

/// Opens paths beneath one folder.
#[derive(Debug)]
pub(super) struct Opener {
    folder: OwnedFd,
    /// Whether the one call may exist.
    kernel: AtomicBool,
}

impl Opener {
    pub(super) fn new(folder: OwnedFd, resolver: Resolver) -> Self {
        Self {
            folder,
            kernel: AtomicBool::new(resolver == Resolver::Best),
        }
    }

    /// The folder itself, for listing it.
    pub(super) fn folder(&self) -> Result<OwnedFd, Errno> {
        openat(&self.folder, ".", FOLDER, Mode::empty())
    }

    /// Opens `path`, with [`FILE`] or [`FOLDER`].
    pub(super) fn open(&self, path: &RelativePath, flags: OFlags) -> Result<OwnedFd, Errno> {
        if self.kernel.load(Ordering::Relaxed) {
            match by_kernel(self.folder.as_fd(), path, flags) {
                // Seccomp filters that do not know the call answer `EPERM`, some `EINVAL`.
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
                result => return result,
            }
            let result = by_walking(self.folder.as_fd(), path, flags);
            // Only a call that is missing fails where the walk succeeds.
            if result.is_ok() {
                self.kernel.store(false, Ordering::Relaxed);
            }
            return result;
        }
        by_walking(self.folder.as_fd(), path, flags)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn by_kernel(folder: BorrowedFd<'_>, path: &RelativePath, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // The kernel's own rule covers the last component too, and names a link as one also where a folder is asked for.
    let flags = flags.difference(OFlags::NOFOLLOW);
    let open = || openat2(folder, path.as_str(), flags, Mode::empty(), resolve);
    // The kernel may give up when something is renamed under it, and asks to try again.
    for _ in 0..8 {
        match open() {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return result,
        }
    }
    open()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn by_kernel(_: BorrowedFd<'_>, _: &RelativePath, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

fn by_walking(
    folder: BorrowedFd<'_>,
    path: &RelativePath,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let mut components = path.components().peekable();
    let mut step: Option<OwnedFd> = None;
    while let Some(component) = components.next() {
        let parent = step.as_ref().map_or(folder, AsFd::as_fd);
        let flags = if components.peek().is_some() {
            STEP
        } else {
            flags
        };
        match openat(parent, component, flags, Mode::empty()) {
            Ok(opened) => step = Some(opened),
            // A link where a folder was asked for: say that it is a link, as the kernel would.
            Err(Errno::NOTDIR) if is_link(parent, component) => return Err(Errno::LOOP),
            // Some systems have their own number for a link that is not followed.
            Err(Errno::MLINK) => return Err(Errno::LOOP),
            Err(error) => return Err(error),
        }
    }
    step.ok_or(Errno::INVAL)
}

/// Only to word the error: nothing is opened because of the answer.
fn is_link(parent: BorrowedFd<'_>, name: &str) -> bool {
    statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
