//! What a writer does when the log is not as the last one left it.
//!
//! After a crash the last line may be half written, or the head may be a few lines behind: both are
//! mended. If lines that the head knows of are missing, somebody took them away, and if the one it
//! speaks of is another, somebody wrote it anew. The log goes on, because what happens next matters
//! too, but a line says so for good.

use std::io::{Read as _, Seek as _, SeekFrom};

use crate::entry::Link;
use crate::error::AuditError;
use crate::event::{Event, Outcome};
use crate::files::{CURRENT, full_name};
use crate::hash::Hash;
use crate::head::Head;
use crate::kind::EventKind;
use crate::log::Locked;
use crate::rotation::ITSELF;

impl Locked<'_> {
    /// Finds the end of the log by reading it.
    pub(crate) fn recover(&mut self, head: Option<Head>) -> Result<(), AuditError> {
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
        let known = head.unwrap_or(Head::START);
        let (seq, hash) = end.map_or((known.seq, known.hash), |link| (link.seq, link.hash));
        self.head = Head {
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
            self.write(ITSELF, &[event])?;
        } else if torn > 0 {
            let event = Event::new(EventKind::LogHealed).detail("bytes", torn.to_string());
            self.write(ITSELF, &[event])?;
        }
        Ok(())
    }

    /// The last line of the newest full file.
    fn end_of_full_files(&self) -> Result<Option<Link>, AuditError> {
        let Some(number) = self.newest_full_file()? else {
            return Ok(None);
        };
        let line = self.log.folder.last_line(&full_name(number))?;
        Ok(Link::of(&line))
    }

    fn newest_full_file(&self) -> Result<Option<u64>, AuditError> {
        Ok(self.log.folder.full_files()?.last().copied())
    }

    /// What is wrong where the line that the head speaks of is another now.
    fn rewritten(&self, head: Option<Head>, current: &[u8]) -> Result<Option<String>, AuditError> {
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
    Link::of(line).map(|link| link.hash)
}

/// What is wrong, if more is wrong than a crash explains.
fn damage(head: Option<Head>, (seq, is_line): (u64, bool)) -> Option<String> {
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

fn last_link(bytes: &[u8]) -> Option<Link> {
    let line = bytes.strip_suffix(b"\n")?;
    let start = memchr::memrchr(b'\n', line).map_or(0, |at| at + 1);
    Link::of(&line[start..])
}
