//! `verify`: whether the log is as it was written.

use std::path::Path;

use crate::copies::{self, Copied};
use crate::entry::{Entry, Link};
use crate::error::AuditError;
use crate::fault::{Fault, FaultKind};
use crate::files::{CURRENT, Folder, HEAD};
use crate::hash::Hash;
use crate::head::Head;
use crate::kind::EventKind;

/// What came of checking.
#[derive(Debug, Default)]
pub struct Verdict {
    /// How many lines were seen.
    pub events: u64,
    /// How many files.
    pub files: usize,
    /// The number of the first line that is still there.
    pub first_seq: u64,
    /// The number and the hash of the last line.
    pub last: Option<(u64, Hash)>,
    /// Bytes of a last line that was never finished, which the next writer cuts off.
    pub unfinished_bytes: usize,
    /// Files that say once more what others say, and do not count.
    pub copies: Vec<Copied>,
    /// Other files beside the log that are called like it.
    pub beside: Vec<String>,
    /// How many events came after the last one that is in a copy, as far as is known.
    pub later: u64,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
}

/// Checks all files of the log in a folder, and that the line of a number that was noted
/// elsewhere still has the hash it had. The lock is held, so no writer is in between.
pub fn verify(folder: &Path, expected: Option<(u64, Hash)>) -> Result<Verdict, AuditError> {
    walked(
        folder,
        Walk {
            expected,
            ..Walk::default()
        },
    )
}

/// Checks files of a log that were copied into a folder of their own, as [`verify_copy`] does.
pub fn verify_copied_folder(
    folder: &Path,
    expected: Option<(u64, Hash)>,
) -> Result<Verdict, AuditError> {
    walked(
        folder,
        Walk {
            expected,
            is_copy: true,
            ..Walk::default()
        },
    )
}

fn walked(folder: &Path, mut walk: Walk) -> Result<Verdict, AuditError> {
    let Some(folder) = Folder::open(folder)? else {
        return Ok(walk.verdict);
    };
    let head_file = folder.open_to_read(HEAD)?;
    if let Some(file) = &head_file {
        // Shared: many may check at once.
        let locked = rustix::fs::flock(file, rustix::fs::FlockOperation::LockShared);
        locked.map_err(|error| folder.failed(HEAD, error))?;
    }
    walk.head = match &head_file {
        Some(file) => Head::read(&folder, file)?,
        None => None,
    };
    let mut names = folder.names()?;
    walk.verdict.beside = copies::beside(&folder, &names)?;
    walk.verdict.copies = copies::among(&folder, &names)?;
    names.retain(|name| {
        let mut copies = walk.verdict.copies.iter();
        !copies.any(|each| each.file == *name)
    });
    for name in names {
        if let Some(bytes) = folder.read(&name)? {
            walk.file(&name, &bytes);
        }
    }
    Ok(walk.end())
}

/// Checks lines of a log that were copied elsewhere: that they are as they were written and that none
/// is missing between them. What came before and after them is not known.
pub fn verify_copy(name: &str, lines: &[u8], expected: Option<(u64, Hash)>) -> Verdict {
    let mut walk = Walk {
        expected,
        is_copy: true,
        is_single: true,
        ..Walk::default()
    };
    walk.file(name, lines);
    walk.end()
}

#[derive(Default)]
struct Walk {
    /// Whether the lines are not those of the log itself.
    is_copy: bool,
    /// Whether they are all in one file, whatever its name.
    is_single: bool,
    verdict: Verdict,
    head: Option<Head>,
    /// The hash of the line that the head speaks of.
    at_head: Option<Hash>,
    /// What the caller noted, until it is seen.
    expected: Option<(u64, Hash)>,
    /// Before the oldest line: the number and the hash that it names.
    before: Option<(u64, Hash)>,
    /// The ends of files that were given up.
    dropped: Vec<(u64, Hash)>,
    first_file: String,
    last_place: (String, u64),
}

impl Walk {
    fn file(&mut self, name: &str, bytes: &[u8]) {
        self.verdict.files += 1;
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        if whole < bytes.len() {
            // A copy may have been made in the middle of a line.
            if name == CURRENT || self.is_single {
                self.verdict.unfinished_bytes = bytes.len() - whole;
            } else {
                let line = memchr::memchr_iter(b'\n', bytes).count() as u64 + 1;
                self.fault(name, line, FaultKind::Changed);
            }
        }
        let mut start = 0;
        for (at, end) in memchr::memchr_iter(b'\n', &bytes[..whole]).enumerate() {
            let line = &bytes[start..end];
            let rest = &bytes[end + 1..whole];
            start = end + 1;
            self.line(name, at as u64 + 1, line, rest);
        }
    }

    fn line(&mut self, name: &str, number: u64, text: &[u8], rest: &[u8]) {
        self.verdict.events += 1;
        name.clone_into(&mut self.last_place.0);
        self.last_place.1 = number;
        let Some(link) = Link::of(text).filter(|link| link.is_true) else {
            self.fault(name, number, FaultKind::Changed);
            // What follows is judged by what it says itself.
            self.verdict.last = None;
            self.before.get_or_insert((0, Hash::NONE));
            return;
        };
        match self.verdict.last {
            // Only the first fault is told, and looking ahead for it is done once.
            Some(_) if self.verdict.fault.is_some() => {}
            Some((seq, hash)) => {
                if let Some(kind) = misplaced(link, seq, hash, rest) {
                    self.fault(name, number, kind);
                }
            }
            None if self.before.is_none() => {
                self.before = Some((link.seq.saturating_sub(1), link.prev));
                self.verdict.first_seq = link.seq;
                name.clone_into(&mut self.first_file);
                if (link.seq == 1) != (link.prev == Hash::NONE) {
                    self.fault(name, number, FaultKind::Changed);
                }
            }
            None => {}
        }
        self.verdict.last = Some((link.seq, link.hash));
        if self.head.is_some_and(|head| head.seq == link.seq) {
            self.at_head = Some(link.hash);
        }
        if let Some((_, hash)) = self.expected.take_if(|(seq, _)| *seq == link.seq)
            && hash != link.hash
        {
            self.fault(name, number, FaultKind::Unexpected);
        }
        self.note_own(name, number, text);
    }

    /// Lines that the log writes about itself.
    fn note_own(&mut self, name: &str, number: u64, line: &[u8]) {
        // The name of an event cannot stand so inside a text, where quotes are escaped.
        if memchr::memmem::find(line, b",\"event\":\"audit.").is_none() {
            return;
        }
        let Some(entry) = Entry::parse(line) else {
            return;
        };
        match EventKind::from_name(&entry.event) {
            Some(EventKind::LogBroken) => {
                let reason = entry.reason.unwrap_or_default().into_owned();
                self.fault(name, number, FaultKind::Recorded { reason });
            }
            Some(EventKind::LogDropped) => {
                let seq = entry
                    .detail
                    .get("last_seq")
                    .and_then(|seq| seq.parse().ok());
                let hash = entry.detail.get("last_hash");
                let hash = hash.and_then(|hash| Hash::from_hex(hash.as_bytes()));
                self.dropped.extend(seq.zip(hash));
            }
            _ => {}
        }
    }

    fn end(mut self) -> Verdict {
        // Lines before the first must have been given up, not taken.
        if let Some(before) = self.before.filter(|(seq, _)| *seq > 0)
            && !self.is_copy
            && !self.dropped.contains(&before)
        {
            // It is the very first fault, whatever else was found.
            self.verdict.fault = Some(Fault {
                file: self.first_file.clone(),
                line: 1,
                kind: FaultKind::Removed { count: before.0 },
            });
        }
        let last_seq = self.verdict.last.map_or(0, |(seq, _)| seq);
        let (name, number) = self.last_place.clone();
        let name = if name.is_empty() {
            CURRENT.to_owned()
        } else {
            name
        };
        let kind = match self.head {
            // The head may have been copied after the lines.
            Some(head) if self.is_copy && head.seq > last_seq => {
                self.verdict.later = head.seq - last_seq;
                None
            }
            Some(head) if head.seq > last_seq => Some(FaultKind::Truncated {
                count: head.seq - last_seq,
            }),
            Some(head) if head.seq > 0 && self.at_head.is_some_and(|hash| hash != head.hash) => {
                Some(FaultKind::OtherEnd)
            }
            None if self.verdict.events > 0 && !self.is_copy => Some(FaultKind::NoHead),
            _ => None,
        };
        let kind = kind.or_else(|| {
            // A line that was given up with its file cannot be compared any more.
            let (seq, _) = self.expected?;
            (seq >= self.verdict.first_seq).then_some(FaultKind::Missing)
        });
        if let Some(kind) = kind {
            self.fault(&name, number, kind);
        }
        self.verdict
    }

    fn fault(&mut self, file: &str, line: u64, kind: FaultKind) {
        if self.verdict.fault.is_none() {
            self.verdict.fault = Some(Fault {
                file: file.to_owned(),
                line,
                kind,
            });
        }
    }
}

/// What is wrong with a true line behind the line `seq` with `hash`.
fn misplaced(link: Link, seq: u64, hash: Hash, rest: &[u8]) -> Option<FaultKind> {
    if link.prev == hash && link.seq == seq + 1 {
        return None;
    }
    let expected = seq + 1;
    Some(if link.seq == expected {
        FaultKind::ReplacedBefore
    } else if link.seq < expected {
        FaultKind::Inserted
    } else if is_later(expected, rest) {
        FaultKind::Swapped
    } else {
        FaultKind::Removed {
            count: link.seq - expected,
        }
    })
}

/// Whether a line with this number follows in the same file.
fn is_later(seq: u64, rest: &[u8]) -> bool {
    let start = format!("{{\"seq\":{seq},");
    rest.split(|byte| *byte == b'\n')
        .any(|line| line.starts_with(start.as_bytes()))
}
