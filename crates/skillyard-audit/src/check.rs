//! `verify`: whether the log is as it was written.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use crate::entry::{AuditEntry, ChainLink};
use crate::error::AuditError;
use crate::event::EventKind;
use crate::files::{CURRENT, HEAD, LogFolder};
use crate::head::Hash;
use crate::head::LogHead;

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
    pub copies: Vec<CopiedFile>,
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
        ChainWalk {
            expected,
            ..ChainWalk::default()
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
        ChainWalk {
            expected,
            is_copy: true,
            ..ChainWalk::default()
        },
    )
}

fn walked(folder: &Path, mut walk: ChainWalk) -> Result<Verdict, AuditError> {
    let Some(folder) = LogFolder::open(folder)? else {
        return Ok(walk.verdict);
    };
    let head_file = folder.open_to_read(HEAD)?;
    if let Some(file) = &head_file {
        // Shared: many may check at once.
        let locked = rustix::fs::flock(file, rustix::fs::FlockOperation::LockShared);
        locked.map_err(|error| folder.failed(HEAD, error))?;
    }
    walk.head = match &head_file {
        Some(file) => LogHead::read(&folder, file)?,
        None => None,
    };
    let mut names = folder.names()?;
    walk.verdict.beside = similarly_named(&folder, &names)?;
    walk.verdict.copies = find_copies(&folder, &names)?;
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
    let mut walk = ChainWalk {
        expected,
        is_copy: true,
        is_single: true,
        ..ChainWalk::default()
    };
    walk.file(name, lines);
    walk.end()
}

#[derive(Default)]
struct ChainWalk {
    /// Whether the lines are not those of the log itself.
    is_copy: bool,
    /// Whether they are all in one file, whatever its name.
    is_single: bool,
    verdict: Verdict,
    head: Option<LogHead>,
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

impl ChainWalk {
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
        let Some(link) = ChainLink::of(text).filter(|link| link.is_true) else {
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
        let Some(entry) = AuditEntry::parse(line) else {
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
fn misplaced(link: ChainLink, seq: u64, hash: Hash, rest: &[u8]) -> Option<FaultKind> {
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

/// Longest beginning of a file that is compared first; every line of ours ends before.
const MAX_FIRST_LINE: u64 = 1 << 20;

/// A file that says what another one says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedFile {
    /// The copy.
    pub file: String,
    /// What it is a copy of.
    pub of: String,
}

/// Which of these files are copies of others of them.
pub(crate) fn find_copies(
    folder: &LogFolder,
    names: &[String],
) -> Result<Vec<CopiedFile>, AuditError> {
    let mut firsts: Vec<(Vec<u8>, &String)> = Vec::new();
    let mut copies = Vec::new();
    for name in names {
        let first = first_line(folder, name)?;
        if first.is_empty() {
            continue;
        }
        match firsts.iter_mut().find(|(known, _)| *known == first) {
            None => firsts.push((first, name)),
            // The chain has each line once, so that one of the two is not of it.
            Some((_, known)) => {
                let (before, now) = (whole_lines(folder, known)?, whole_lines(folder, name)?);
                if now.starts_with(&before) && (now.len() > before.len() || name == CURRENT) {
                    copies.push(copied(known, name));
                    *known = name;
                } else if before.starts_with(&now) {
                    copies.push(copied(name, known));
                }
            }
        }
    }
    Ok(copies)
}

/// Files beside the log that are called like it and are no part of it.
fn similarly_named(folder: &LogFolder, names: &[String]) -> Result<Vec<String>, AuditError> {
    let is_other = |name: &String| {
        name.starts_with("audit") && name != HEAD && name != CURRENT && !names.contains(name)
    };
    let mut others: Vec<String> = folder.all_names()?.into_iter().filter(is_other).collect();
    others.sort_unstable();
    Ok(others)
}

fn copied(file: &str, of: &str) -> CopiedFile {
    CopiedFile {
        file: file.to_owned(),
        of: of.to_owned(),
    }
}

fn first_line(folder: &LogFolder, name: &str) -> Result<Vec<u8>, AuditError> {
    let mut line = Vec::new();
    if let Some(file) = folder.open_to_read(name)? {
        let read = BufReader::new(file.take(MAX_FIRST_LINE)).read_until(b'\n', &mut line);
        read.map_err(|error| folder.failed(name, error))?;
    }
    Ok(line)
}

/// The lines of a file but for one that was never finished.
fn whole_lines(folder: &LogFolder, name: &str) -> Result<Vec<u8>, AuditError> {
    let mut bytes = folder.read(name)?.unwrap_or_default();
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    bytes.truncate(whole);
    Ok(bytes)
}

/// Where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// What.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.kind)
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// A line is not what was written.
    Changed,
    /// The line before was replaced by one that was never written.
    ReplacedBefore,
    /// Lines are missing before this one.
    Removed {
        /// How many.
        count: u64,
    },
    /// Lines stand in another order.
    Swapped,
    /// A line stands there that belongs elsewhere.
    Inserted,
    /// Lines are missing at the end.
    Truncated {
        /// How many.
        count: u64,
    },
    /// The end of the log is not the one that was written.
    OtherEnd,
    /// The line that was expected is another one.
    Unexpected,
    /// The line that was expected is not there.
    Missing,
    /// There is no head, so nobody knows whether lines are missing at the end.
    NoHead,
    /// The writer found the log damaged and said so in this line.
    Recorded {
        /// Its words.
        reason: String,
    },
}

impl FaultKind {
    /// One word for programs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::ReplacedBefore => "replaced",
            Self::Removed { .. } => "removed",
            Self::Swapped => "swapped",
            Self::Inserted => "inserted",
            Self::Truncated { .. } => "truncated",
            Self::OtherEnd | Self::Unexpected => "rewritten",
            Self::Missing => "missing",
            Self::NoHead => "no_head",
            Self::Recorded { .. } => "recorded",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => formatter.write_str("this line was changed"),
            Self::ReplacedBefore => formatter.write_str("the line before this one was replaced"),
            Self::Removed { count: 1 } => formatter.write_str("1 line before this one was removed"),
            Self::Removed { count } => {
                write!(formatter, "{count} lines before this one were removed")
            }
            Self::Swapped => {
                formatter.write_str("this line stands in the wrong place: lines were swapped")
            }
            Self::Inserted => {
                formatter.write_str("this line does not belong here: it was inserted")
            }
            Self::Truncated { count: 1 } => {
                formatter.write_str("the log was cut off: 1 event is missing after this line")
            }
            Self::Truncated { count } => {
                write!(
                    formatter,
                    "the log was cut off: {count} events are missing after this line"
                )
            }
            Self::OtherEnd => {
                formatter.write_str("the log does not end as `audit.head` says: it was rewritten")
            }
            Self::Unexpected => formatter
                .write_str("this is not the event that was expected: the log was rewritten"),
            Self::Missing => formatter.write_str("the event that was expected is not in the log"),
            Self::NoHead => formatter.write_str(
                "`audit.head` is missing, so the log may have been cut off after this line",
            ),
            Self::Recorded { reason } => write!(
                formatter,
                "damage was found when this line was written: {reason}"
            ),
        }
    }
}
