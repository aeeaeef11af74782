//! Reads the log: filters, and what could not be read.

use std::collections::VecDeque;
use std::path::Path;

use jiff::Timestamp;

use crate::copies;
use crate::entry::Entry;
use crate::error::AuditError;
use crate::files::{CURRENT, Folder, full_name};

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
    pub fn matches(&self, entry: &Entry<'_>) -> bool {
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
pub struct Reading {
    /// The lines that are wanted, without their ends.
    pub lines: VecDeque<Vec<u8>>,
    /// How many lines could not be understood.
    pub unreadable: usize,
}

/// Reads the wanted lines of all files in a folder, the oldest first.
pub fn read(folder: &Path, filter: &Filter) -> Result<Reading, AuditError> {
    let mut lines: VecDeque<Vec<u8>> = VecDeque::new();
    let unreadable = each(folder, |line, entry| {
        if filter.matches(entry) {
            if lines.len() == filter.limit.unwrap_or(usize::MAX) {
                lines.pop_front();
            }
            if filter.limit != Some(0) {
                lines.push_back(line.to_vec());
            }
        }
    })?;
    Ok(Reading { lines, unreadable })
}

/// Reads as many of the wanted lines as the filter's limit says, and whether there are older ones: the
/// number to ask for those before.
pub fn read_part(folder: &Path, filter: &Filter) -> Result<(Reading, Option<u64>), AuditError> {
    let limit = filter.limit.unwrap_or(usize::MAX);
    let mut further = filter.clone();
    further.limit = Some(limit.saturating_add(1));
    let mut reading = read(folder, &further)?;
    if reading.lines.len() <= limit {
        return Ok((reading, None));
    }
    let left_out = reading.lines.pop_front();
    let last = left_out.as_deref().and_then(Entry::parse);
    Ok((reading, last.map(|entry| entry.seq.saturating_add(1))))
}

/// Looks at every line of all files in a folder, the oldest first, without keeping any; tells how
/// many could not be understood.
pub fn each(folder: &Path, mut look: impl FnMut(&[u8], &Entry<'_>)) -> Result<usize, AuditError> {
    let mut unreadable = 0;
    let Some(folder) = Folder::open(folder)? else {
        return Ok(unreadable);
    };
    let mut look_at = |bytes: &[u8]| {
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let lines = bytes[..whole].split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            match Entry::parse(line) {
                Some(entry) => look(line, &entry),
                None => unreadable += 1,
            }
        }
    };
    let mut last = None;
    let copies = copies::among(&folder, &folder.names()?)?;
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
