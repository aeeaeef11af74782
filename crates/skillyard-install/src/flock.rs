//! Advisory locks between processes, which end with the process that holds them.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Together with others who share it.
    Shared,
    /// Alone.
    Alone,
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Flock {
    _file: File,
}

impl Flock {
    /// The lock on a folder, if nobody holds it.
    pub(crate) fn try_folder(folder: &Path) -> io::Result<Option<Self>> {
        let file = open(folder)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for the lock on a folder. The folder itself is locked, so no file is left behind.
    pub(crate) fn folder(folder: &Path, hold: Hold) -> io::Result<Self> {
        let file = open(folder)?;
        let operation = match hold {
            Hold::Shared => FlockOperation::LockShared,
            Hold::Alone => FlockOperation::LockExclusive,
        };
        loop {
            match flock(&file, operation) {
                Err(rustix::io::Errno::INTR) => {}
                other => return Ok(other.map(|()| Self { _file: file })?),
            }
        }
    }
}

fn open(folder: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(folder, flags, Mode::empty())?))
}
