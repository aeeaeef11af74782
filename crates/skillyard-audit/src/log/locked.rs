//! The log while nobody else writes to it.

use std::fs::File;
use std::io::Write as _;

use jiff::Timestamp;
use rustix::fs::{FallocateFlags, OFlags};
use rustix::io::Errno;

use super::{AuditLog, Receipt, Sync};
use crate::entry::Entry;
use crate::error::AuditError;
use crate::event::Event;
use crate::files::CURRENT;
use crate::head::Head;

/// How much room is made for what comes next: more than nearly every event has.
const ROOM: u64 = 64 * 1024;
/// About as long as a line is, so that there is room for all that are written at once.
const USUAL_LINE: usize = 768;

/// The files under the lock, and where the log ends.
pub(crate) struct Locked<'a> {
    pub(crate) log: &'a AuditLog,
    pub(crate) head_file: &'a File,
    pub(crate) current: &'a mut Option<File>,
    pub(crate) head: Head,
    pub(crate) time: Timestamp,
    pub(super) sync: Sync,
}

impl Locked<'_> {
    /// Writes events down in one piece, in a new file where the last is full.
    pub(super) fn append_events(
        &mut self,
        actor: &str,
        events: &[Event],
    ) -> Result<Receipt, AuditError> {
        self.find_end()?;
        if self.head.size >= self.log.options.max_bytes {
            self.sync()?;
            self.rotate()?;
        }
        self.write(actor, events)
    }

    /// Makes room behind the end.
    pub(super) fn make_room(&mut self) -> Result<(), AuditError> {
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
    pub(super) fn find_end(&mut self) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let head = Head::read(folder, self.head_file)?;
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
    pub(super) fn sync(&self) -> Result<(), AuditError> {
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
