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
    /// Waits for the lock on a folder. The folder itself is locked, so no file is left behind.
    pub(crate) fn folder(folder: &Path, hold: Hold) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(folder, flags, Mode::empty())?);
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
