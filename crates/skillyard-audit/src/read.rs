//! Reads the log: filters, and what could not be read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::check::find_copies;
use crate::entry::AuditEntry;
use crate::error::AuditError;
use crate::files::{CURRENT, LogFolder, full_name};

/// Which events are wanted; what is empty does not matter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// About this skill.
    pub skill: Option<String>,
    /// Of this kind, or of all kinds that begin so: `skill.installed`, `approval`.
    pub event: Option<String>,
    /// In this session.
    pub session: Option<String>,
    /// With this outcome.
    pub outcome: Option<String>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
    /// Before the event with this number.
    pub before: Option<u64>,
    /// Only the last so many.
    pub limit: Option<usize>,
}

impl Filter {
    /// Whether an event is wanted, leaving the limit aside.
    pub fn matches(&self, entry: &AuditEntry<'_>) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let is_kind = self.event.as_deref().is_none_or(|wanted| {
            let rest = entry.event.strip_prefix(wanted);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('.') || wanted.ends_with('.')
            })
        });
        is_kind
            && is(&self.skill, entry.skill.as_deref())
            && is(&self.session, entry.session.as_deref())
            && is(&self.outcome, Some(&entry.outcome))
            && self.since.is_none_or(|since| entry.time >= since)
            && self.until.is_none_or(|until| entry.time < until)
            && self.before.is_none_or(|before| entry.seq < before)
    }
}

/// What was read.
#[derive(Debug, Default)]
pub struct LogLines {
    /// The lines that are wanted, without their ends.
    pub lines: VecDeque<Vec<u8>>,
    /// How many lines could not be understood.
    pub unreadable: usize,
}

/// Reads the wanted lines of all files in a folder, the oldest first.
pub fn read(folder: &Path, filter: &Filter) -> Result<LogLines, AuditError> {
    let mut lines: VecDeque<Vec<u8>> = VecDeque::new();
    let unreadable = for_each_entry(folder, |line, entry| {
        if filter.matches(entry) {
            if lines.len() == filter.limit.unwrap_or(usize::MAX) {
                lines.pop_front();
            }
            if filter.limit != Some(0) {
                lines.push_back(line.to_vec());
            }
        }
    })?;
    Ok(LogLines { lines, unreadable })
}

/// Reads as many of the wanted lines as the filter's limit says, and whether there are older ones: the
/// number to ask for those before.
pub fn read_page(folder: &Path, filter: &Filter) -> Result<(LogLines, Option<u64>), AuditError> {
    let limit = filter.limit.unwrap_or(usize::MAX);
    let mut further = filter.clone();
    further.limit = Some(limit.saturating_add(1));
    let mut reading = read(folder, &further)?;
    if reading.lines.len() <= limit {
        return Ok((reading, None));
    }
    let left_out = reading.lines.pop_front();
    let last = left_out.as_deref().and_then(AuditEntry::parse);
    Ok((reading, last.map(|entry| entry.seq.saturating_add(1))))
}

/// Looks at every line of all files in a folder, the oldest first, without keeping any; tells how
/// many could not be understood.
pub fn for_each_entry(
    folder: &Path,
    mut look: impl FnMut(&[u8], &AuditEntry<'_>),
) -> Result<usize, AuditError> {
    let mut unreadable = 0;
    let Some(folder) = LogFolder::open(folder)? else {
        return Ok(unreadable);
    };
    let mut look_at = |bytes: &[u8]| {
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let lines = bytes[..whole].split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            match AuditEntry::parse(line) {
                Some(entry) => look(line, &entry),
                None => unreadable += 1,
            }
        }
    };
    let mut last = None;
    let copies = find_copies(&folder, &folder.names()?)?;
    let is_copy = |name: &str| copies.iter().any(|each| each.file == name);
    loop {
        for number in folder.full_files()? {
            if Some(number) > last && is_copy(&full_name(number)) {
                last = Some(number);
            } else if Some(number) > last {
                look_at(&folder.read(&full_name(number))?.unwrap_or_default());
                last = Some(number);
            }
        }
        let current = folder.read(CURRENT)?;
        // It may have become full, and another one be in its place.
        if folder.full_files()?.last() <= last.as_ref() {
            look_at(&current.unwrap_or_default());
            return Ok(unreadable);
        }
    }
}

/// A reader at the end of the log.
#[derive(Debug)]
pub struct LogFollower {
    path: PathBuf,
    file: Option<File>,
    /// What was read of a line that has no end yet.
    pending: Vec<u8>,
}

impl LogFollower {
    /// Stands at the end of the log as it is now.
    pub fn new(folder: &Path) -> Result<Self, AuditError> {
        let mut follow = Self {
            path: folder.to_owned(),
            file: None,
            pending: Vec::new(),
        };
        follow.poll()?;
        Ok(follow)
    }

    /// The lines that were written since the last call.
    pub fn poll(&mut self) -> Result<Vec<Vec<u8>>, AuditError> {
        let Some(folder) = LogFolder::open(&self.path)? else {
            return Ok(Vec::new());
        };
        let mut lines = Vec::new();
        loop {
            if let Some(mut file) = self.file.take() {
                let read = file.read_to_end(&mut self.pending);
                read.map_err(|error| folder.failed(CURRENT, error))?;
                self.take_lines(&mut lines);
                let mine = folder.identity_of(CURRENT, &file)?;
                // A file that was put aside is not written to again.
                let now = folder.identity(CURRENT)?;
                if now.is_none_or(|now| now.is_same_file(mine)) {
                    self.file = Some(file);
                    return Ok(lines);
                }
                self.pending.clear();
            }
            self.file = folder.open_to_read(CURRENT)?;
            if self.file.is_none() {
                return Ok(lines);
            }
        }
    }

    fn take_lines(&mut self, lines: &mut Vec<Vec<u8>>) {
        let Some(end) = memchr::memrchr(b'\n', &self.pending) else {
            return;
        };
        let rest = self.pending.split_off(end + 1);
        let whole = std::mem::replace(&mut self.pending, rest);
        let each = whole
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        lines.extend(each.map(<[u8]>::to_vec));
    }
}
