//! The one writer.
//!
//! Many processes write at once. Events that come together are one `write` under an exclusive lock
//! on `audit.head`, whose bytes say where the log ends: as long as the file still has the size and
//! the inode that they name, nothing has to be read.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use jiff::Timestamp;
use rustix::fs::{FallocateFlags, FlockOperation, OFlags};
use rustix::io::Errno;

use crate::entry::{Entry, Hash};
use crate::error::AuditError;
use crate::event::Event;
use crate::files::{CURRENT, Folder, HEAD};
use crate::head::Head;
use crate::recorder::{Redact, Unredacted};

/// Most events in one piece: a file may become larger than it should by so many.
const PIECE: usize = 64;

/// How much room is made for what comes next: more than nearly every event has.
const ROOM: u64 = 64 * 1024;
/// About as long as a line is, so that there is room for all that are written at once.
const USUAL_LINE: usize = 768;

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
    pub(crate) folder: Folder,
    pub(crate) options: Options,
    /// The files that were open last; another process may have moved on to others.
    open: Mutex<Open>,
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
struct Open {
    head: Option<File>,
    current: Option<File>,
}

/// When a security event is forced onto the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sync {
    /// At once.
    Each,
    /// After the last of several.
    AtEnd,
}

/// The files under the lock, and where the log ends.
pub(crate) struct Locked<'a> {
    pub(crate) log: &'a AuditLog,
    pub(crate) head_file: &'a File,
    pub(crate) current: &'a mut Option<File>,
    pub(crate) head: Head,
    pub(crate) time: Timestamp,
    sync: Sync,
}

impl AuditLog {
    /// Opens the log in a folder, which is made if it is not there.
    pub fn open(folder: &Path, options: Options) -> Result<Self, AuditError> {
        Ok(Self {
            folder: Folder::make(folder)?,
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
        self.locked(time, Sync::Each, |locked| {
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
        self.locked(time, Sync::AtEnd, |locked| {
            for piece in events.chunks(PIECE) {
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
        self.locked(time, Sync::Each, |locked| {
            locked.find_end()?;
            locked.make_room()
        })
    }

    fn locked<T>(
        &self,
        time: Timestamp,
        sync: Sync,
        act: impl FnOnce(&mut Locked<'_>) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let mut open = self.open.lock().map_err(|_| AuditError::Poisoned)?;
        let head_file = self.lock_head(open.head.take())?;
        let mut locked = Locked {
            log: self,
            head_file: &head_file,
            current: &mut open.current,
            head: Head::START,
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

impl Locked<'_> {
    fn append_events(&mut self, actor: &str, events: &[Event]) -> Result<Receipt, AuditError> {
        self.find_end()?;
        if self.head.size >= self.log.options.max_bytes {
            self.sync()?;
            self.rotate()?;
        }
        self.write(actor, events)
    }

    /// Makes room behind the end.
    fn make_room(&mut self) -> Result<(), AuditError> {
        let file = match self.current.take() {
            Some(file) => file,
            None => self.open_current()?,
        };
        let keep_size = FallocateFlags::KEEP_SIZE;
        let made = rustix::fs::fallocate(&file, keep_size, self.head.size, ROOM);
        *self.current = Some(file);
        match made {
            Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => {
                Err(self.log.folder.failed(CURRENT, error))
            }
            // Not every file system can do it.
            _ => Ok(()),
        }
    }

    /// Finds where the log ends: by the head if the file is as it says, else by looking.
    fn find_end(&mut self) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let head = Head::read(self.head_file);
        let now = folder.identity(CURRENT)?;
        if let (Some(head), Some(now)) = (head, now)
            && (head.size, head.inode) == (now.size, now.inode)
        {
            let is_open = match &*self.current {
                Some(file) => folder.identity_of(CURRENT, file)?.is_same_file(now),
                None => false,
            };
            if !is_open {
                *self.current = Some(self.open_current()?);
            }
            self.head = head;
            return Ok(());
        }
        self.recover(head)
    }

    /// Writes lines in one piece, and then the head; the receipt is that of the last.
    pub(crate) fn write(&mut self, actor: &str, events: &[Event]) -> Result<Receipt, AuditError> {
        let folder = &self.log.folder;
        let (mut seq, mut hash) = (self.head.seq, self.head.hash);
        let mut lines = Vec::with_capacity(events.len() * USUAL_LINE);
        for event in events {
            seq += 1;
            let entry = Entry::new(seq, self.time, actor, event, &*self.log.options.redact);
            let (line, own) = entry.line(hash).map_err(AuditError::Unwritable)?;
            lines.extend_from_slice(&line);
            hash = own;
        }
        let mut file = match self.current.take() {
            Some(file) => file,
            None => self.open_current()?,
        };
        if let Err(error) = file.write_all(&lines) {
            // A full disk must not leave half a line behind.
            let _ = file.set_len(self.head.size);
            return Err(folder.failed(CURRENT, error));
        }
        let is_urgent = events.iter().any(|event| event.kind.is_security());
        if is_urgent && self.sync == Sync::Each {
            file.sync_data()
                .map_err(|error| folder.failed(CURRENT, error))?;
        }
        self.head = Head {
            seq,
            hash,
            size: self.head.size + lines.len() as u64,
            inode: folder.identity_of(CURRENT, &file)?.inode,
        };
        *self.current = Some(file);
        self.head.write(folder, self.head_file)?;
        Ok(Receipt { seq, hash })
    }

    /// Waits until everything is on the disk.
    fn sync(&self) -> Result<(), AuditError> {
        match &*self.current {
            Some(file) => file
                .sync_data()
                .map_err(|error| self.log.folder.failed(CURRENT, error)),
            None => Ok(()),
        }
    }

    pub(crate) fn open_current(&self) -> Result<File, AuditError> {
        self.log
            .folder
            .open_to_write(CURRENT, OFlags::RDWR | OFlags::APPEND)
    }
}
