//! The one writer.
//!
//! Many processes write at once. Events that come together are one `write` under an exclusive lock
//! on `audit.head`, whose bytes say where the log ends: as long as the file still has the size and
//! the inode that they name, nothing has to be read.

mod locked;

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

pub(crate) use locked::Locked;

use crate::error::AuditError;
use crate::event::Event;
use crate::files::{HEAD, LogFolder};
use crate::head::Hash;
use crate::head::LogHead;
use crate::redact::{Redact, Unredacted};

/// Most events in one piece: a file may become larger than it should by so many.
const MAX_BATCH: usize = 64;

/// How the log is kept.
pub struct Options {
    /// A file that has become larger than this is full.
    pub max_bytes: u64,
    /// How many full files are kept.
    pub keep: usize,
    /// Takes secrets out of every field.
    pub redact: Box<dyn Redact>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_bytes: 16 << 20,
            keep: 16,
            redact: Box::new(Unredacted),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("max_bytes", &self.max_bytes)
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

/// The log, to be written to.
#[derive(Debug)]
pub struct AuditLog {
    pub(crate) folder: LogFolder,
    pub(crate) options: Options,
    /// The files that were open last; another process may have moved on to others.
    open: Mutex<OpenFiles>,
}

/// Where an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
}

#[derive(Debug, Default)]
struct OpenFiles {
    head: Option<File>,
    current: Option<File>,
}

/// When a security event is forced onto the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SyncPolicy {
    /// At once.
    Each,
    /// After the last of several.
    AtEnd,
}

impl AuditLog {
    /// Opens the log in a folder, which is made if it is not there.
    pub fn open(folder: &Path, options: Options) -> Result<Self, AuditError> {
        Ok(Self {
            folder: LogFolder::make(folder)?,
            options,
            open: Mutex::default(),
        })
    }

    /// Writes an event down; when this returns it is in the log, and if it is about security, on
    /// the disk.
    pub fn append(
        &self,
        time: Timestamp,
        actor: &str,
        event: &Event,
    ) -> Result<Receipt, AuditError> {
        self.locked(time, SyncPolicy::Each, |locked| {
            locked.append_events(actor, std::slice::from_ref(event))
        })
    }

    /// Writes events down one after the other, and waits for the disk only once.
    pub fn append_all(
        &self,
        time: Timestamp,
        actor: &str,
        events: &[Event],
    ) -> Result<(), AuditError> {
        self.locked(time, SyncPolicy::AtEnd, |locked| {
            for piece in events.chunks(MAX_BATCH) {
                locked.append_events(actor, piece)?;
            }
            if events.iter().any(|event| event.kind.is_security()) {
                locked.sync()?;
            }
            Ok(())
        })
    }

    /// Finds the end of the log and makes room behind it, so that what is done next can be
    /// written down.
    pub fn make_ready(&self, time: Timestamp) -> Result<(), AuditError> {
        self.locked(time, SyncPolicy::Each, |locked| {
            locked.find_end()?;
            locked.make_room()
        })
    }

    fn locked<T>(
        &self,
        time: Timestamp,
        sync: SyncPolicy,
        act: impl FnOnce(&mut Locked<'_>) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let mut open = self.open.lock().map_err(|_| AuditError::Poisoned)?;
        let head_file = self.lock_head(open.head.take())?;
        let mut locked = Locked {
            log: self,
            head_file: &head_file,
            current: &mut open.current,
            head: LogHead::START,
            time,
            sync,
        };
        let answer = act(&mut locked);
        let unlocked = rustix::fs::flock(&head_file, FlockOperation::Unlock);
        // A lock that cannot be given back ends with the file.
        open.head = unlocked.is_ok().then_some(head_file);
        answer
    }

    /// Waits for the lock on the head that is there now.
    fn lock_head(&self, mut open: Option<File>) -> Result<File, AuditError> {
        loop {
            let file = match open.take() {
                Some(file) => file,
                None => self.folder.open_to_write(HEAD, OFlags::RDWR)?,
            };
            loop {
                match rustix::fs::flock(&file, FlockOperation::LockExclusive) {
                    Ok(()) => break,
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(self.folder.failed(HEAD, error)),
                }
            }
            // Somebody may have put another file in its place, which others lock.
            let mine = self.folder.identity_of(HEAD, &file)?;
            if self
                .folder
                .identity(HEAD)?
                .is_some_and(|now| now.is_same_file(mine))
            {
                return Ok(file);
            }
        }
    }
}
