//! The log while nobody else writes to it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use jiff::Timestamp;
use rustix::fs::{FallocateFlags, OFlags};
use rustix::io::Errno;

use crate::entry::{AuditEntry, ChainLink};
use crate::error::AuditError;
use crate::event::EventKind;
use crate::event::{Event, Outcome};
use crate::files::{CURRENT, full_name};
use crate::head::Hash;
use crate::head::LogHead;
use crate::log::{AuditLog, Receipt, SyncPolicy};

/// How much room is made for what comes next: more than nearly every event has.
const RESERVED_BYTES: u64 = 64 * 1024;
/// About as long as a line is, so that there is room for all that are written at once.
const TYPICAL_LINE_BYTES: usize = 768;

/// The files under the lock, and where the log ends.
pub(crate) struct Locked<'a> {
    pub(crate) log: &'a AuditLog,
    pub(crate) head_file: &'a File,
    pub(crate) current: &'a mut Option<File>,
    pub(crate) head: LogHead,
    pub(crate) time: Timestamp,
    pub(super) sync: SyncPolicy,
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
        let made = rustix::fs::fallocate(&file, keep_size, self.head.size, RESERVED_BYTES);
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
        let head = LogHead::read(folder, self.head_file)?;
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
        let mut lines = Vec::with_capacity(events.len() * TYPICAL_LINE_BYTES);
        for event in events {
            seq += 1;
            let entry = AuditEntry::new(seq, self.time, actor, event, &*self.log.options.redact);
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
        if is_urgent && self.sync == SyncPolicy::Each {
            file.sync_data()
                .map_err(|error| folder.failed(CURRENT, error))?;
        }
        self.head = LogHead {
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

/// Who does what nobody asked for.
pub(crate) const LOG_ACTOR: &str = "skillyard";

impl Locked<'_> {
    /// Puts the full file aside and begins a new one, whose first line names the last hash of
    /// the old one as every line does.
    pub(crate) fn rotate(&mut self) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let number = folder.full_files()?.last().map_or(1, |last| last + 1);
        let name = full_name(number);
        if let Some(file) = &*self.current {
            // What was not urgent is on the disk now at the latest.
            file.sync_data()
                .map_err(|error| folder.failed(CURRENT, error))?;
        }
        folder.rename(CURRENT, &name)?;
        self.begin(&name)?;
        self.drop_old()
    }

    /// Begins a new file behind the one called `previous`.
    pub(crate) fn begin(&mut self, previous: &str) -> Result<(), AuditError> {
        *self.current = Some(self.open_current()?);
        self.head.size = 0;
        let event = Event::new(EventKind::LogRotated)
            .detail("previous", previous)
            .detail("previous_hash", self.head.hash.to_hex());
        self.write(LOG_ACTOR, &[event])?;
        Ok(())
    }

    /// Gives up the oldest files. That is written down first, with the hash they end in: a file
    /// that is missing without it was removed by somebody else.
    fn drop_old(&mut self) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let full = folder.full_files()?;
        let surplus = full.len().saturating_sub(self.log.options.keep.max(1));
        for number in &full[..surplus] {
            let name = full_name(*number);
            // A server that drops one every minute must not hold each of them whole.
            let last = folder.last_line(&name)?;
            let mut event = Event::new(EventKind::LogDropped).detail("file", &name);
            if let Some(last) = ChainLink::of(&last) {
                event = event
                    .detail("last_seq", last.seq.to_string())
                    .detail("last_hash", last.hash.to_hex());
            }
            self.write(LOG_ACTOR, &[event])?;
            folder.remove(&name)?;
        }
        Ok(())
    }
}

impl Locked<'_> {
    /// Finds the end of the log by reading it.
    pub(crate) fn recover(&mut self, head: Option<LogHead>) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let mut file = self.open_current()?;
        let mut bytes = Vec::new();
        let read = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes));
        read.map_err(|error| folder.failed(CURRENT, error))?;
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        let torn = bytes.len() - whole;
        if torn > 0 {
            file.set_len(whole as u64)
                .map_err(|error| folder.failed(CURRENT, error))?;
        }
        let inode = folder.identity_of(CURRENT, &file)?.inode;
        *self.current = Some(file);
        let is_empty = whole == 0;
        let end = if is_empty {
            self.end_of_full_files()?
        } else {
            last_link(&bytes[..whole])
        };
        // A last line that is no line of ours gives nothing to go on from but the head.
        let known = head.unwrap_or(LogHead::START);
        let (seq, hash) = end.map_or((known.seq, known.hash), |link| (link.seq, link.hash));
        self.head = LogHead {
            seq,
            hash,
            size: whole as u64,
            inode,
        };
        let previous = self.newest_full_file()?;
        if is_empty && let Some(number) = previous {
            self.begin(&full_name(number))?;
        }
        let damage = match damage(head, (seq, end.is_some())) {
            None => self.rewritten(head, &bytes[..whole])?,
            damage => damage,
        };
        if let Some(reason) = damage {
            let event = Event::new(EventKind::LogBroken)
                .ended(Outcome::Failed, reason)
                .detail("found_seq", seq.to_string())
                .detail("known_seq", known.seq.to_string())
                .detail("known_hash", known.hash.to_hex());
            self.write(LOG_ACTOR, &[event])?;
        } else if torn > 0 {
            let event = Event::new(EventKind::LogHealed).detail("bytes", torn.to_string());
            self.write(LOG_ACTOR, &[event])?;
        }
        Ok(())
    }

    /// The last line of the newest full file.
    fn end_of_full_files(&self) -> Result<Option<ChainLink>, AuditError> {
        let Some(number) = self.newest_full_file()? else {
            return Ok(None);
        };
        let line = self.log.folder.last_line(&full_name(number))?;
        Ok(ChainLink::of(&line))
    }

    fn newest_full_file(&self) -> Result<Option<u64>, AuditError> {
        Ok(self.log.folder.full_files()?.last().copied())
    }

    /// What is wrong where the line that the head speaks of is another now.
    fn rewritten(
        &self,
        head: Option<LogHead>,
        current: &[u8],
    ) -> Result<Option<String>, AuditError> {
        let Some(head) = head.filter(|head| head.seq > 0) else {
            return Ok(None);
        };
        let found = match hash_at(current, head.seq) {
            // No more than one file was put aside since the head was written.
            None => {
                let full = self.newest_full_file()?.map(full_name);
                let bytes = full.map(|name| self.log.folder.read(&name)).transpose()?;
                hash_at(&bytes.flatten().unwrap_or_default(), head.seq)
            }
            found => found,
        };
        let line = head.seq;
        Ok((found != Some(head.hash)).then(|| format!("line {line} is not as it was written")))
    }
}

/// The hash of the line of a number, as the last such line says.
fn hash_at(bytes: &[u8], seq: u64) -> Option<Hash> {
    let start = format!("{{\"seq\":{seq},");
    let mut lines = bytes.rsplit(|byte| *byte == b'\n');
    let line = lines.find(|line| line.starts_with(start.as_bytes()))?;
    ChainLink::of(line).map(|link| link.hash)
}

/// What is wrong, if more is wrong than a crash explains.
fn damage(head: Option<LogHead>, (seq, is_line): (u64, bool)) -> Option<String> {
    match head {
        None if seq == 0 => None,
        None => Some("`audit.head` was missing, so lines may be missing too".into()),
        Some(head) if head.seq > 0 && !is_line => Some(format!(
            "the log was empty or its end unreadable; it had {} event{}",
            head.seq,
            if head.seq == 1 { "" } else { "s" }
        )),
        Some(head) if head.seq > seq => Some(match head.seq - seq {
            1 => "1 event was missing at the end".into(),
            many => format!("{many} events were missing at the end"),
        }),
        Some(_) => None,
    }
}

fn last_link(bytes: &[u8]) -> Option<ChainLink> {
    let line = bytes.strip_suffix(b"\n")?;
    let start = memchr::memrchr(b'\n', line).map_or(0, |at| at + 1);
    ChainLink::of(&line[start..])
}
