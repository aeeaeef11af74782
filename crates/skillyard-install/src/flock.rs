//! Advisory locks between processes, which end with the process that holds them.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Together with others who share it.
    Shared,
    /// Alone.
    Alone,
}

/// A lock on a folder that is held until this is dropped. The folder itself is locked, so no lock file
/// is left behind.
#[derive(Debug)]
pub(crate) struct Flock {
    _file: File,
}

impl Flock {
    /// The exclusive lock on a folder, unless another process holds it.
    pub(crate) fn try_folder(folder: &Path) -> io::Result<Option<Self>> {
        let file = File::open(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Waits for the lock on a folder.
    pub(crate) fn folder(folder: &Path, hold: Hold) -> io::Result<Self> {
        let file = File::open(folder)?;
        loop {
            let locked = match hold {
                Hold::Shared => file.lock_shared(),
                Hold::Alone => file.lock(),
            };
            match locked {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map(|()| Self { _file: file }),
            }
        }
    }
}
