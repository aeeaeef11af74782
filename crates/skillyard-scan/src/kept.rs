//! How many findings are kept: all that a person could have accepted, and no file's worth of memory.

use std::collections::BTreeMap;

use super::finding::{Finding, Severity};
use super::statement::Statement;

/// How many findings of one rule in one file are always kept.
const ALWAYS: usize = 10;
/// Most findings of one rule in one file that are kept.
const MOST: usize = 1_000;
/// Most findings of a skill that are kept, but for those that always are.
const MAX_IN_ALL: usize = 20_000;

/// The findings of one rule in one file.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The findings that are kept and what they are about, by line.
    pub(super) findings: BTreeMap<usize, (Finding, Statement)>,
    /// How many of each severity are.
    counts: BTreeMap<Severity, usize>,
    /// How many of each severity there was no room for.
    pub(super) more: BTreeMap<Severity, usize>,
    /// The last line that there was no room for.
    last: Option<usize>,
}

impl Kept {
    /// Takes a finding, if it is the first or the worst of its line and there is room; a worse one
    /// takes the place of the mildest. `in_all` is how many findings of the skill are kept.
    ///
    /// The one that is kept of a line is about all that was found on it.
    pub(super) fn add(&mut self, finding: Finding, statement: Statement, in_all: &mut usize) {
        let (line, severity) = (finding.line, finding.severity);
        if let Some((old, known)) = self.findings.get_mut(&line) {
            known.join(&statement);
            if old.severity < severity {
                take(&mut self.counts, old.severity);
                *self.counts.entry(severity).or_default() += 1;
                *old = finding;
            }
            return;
        }
        let count = self.findings.len();
        if count < ALWAYS || count < MOST && *in_all < MAX_IN_ALL {
            *in_all += 1;
            self.insert(finding, statement);
            return;
        }
        let milder = self.counts.keys().next().copied();
        let milder = milder.filter(|milder| *milder < severity);
        let mut kept = self.findings.iter();
        let place = milder.and_then(|milder| kept.find(|(_, (each, _))| each.severity == milder));
        match place.map(|(line, (each, _))| (*line, each.severity)) {
            Some((place, milder)) => {
                self.findings.remove(&place);
                take(&mut self.counts, milder);
                *self.more.entry(milder).or_default() += 1;
                self.insert(finding, statement);
            }
            // What stands on one line counts once.
            None if self.last == Some(line) => {}
            None => {
                self.last = Some(line);
                *self.more.entry(severity).or_default() += 1;
            }
        }
    }

    fn insert(&mut self, finding: Finding, statement: Statement) {
        *self.counts.entry(finding.severity).or_default() += 1;
        self.findings.insert(finding.line, (finding, statement));
    }
}

/// Counts one less, and forgets what there is none of.
fn take(counts: &mut BTreeMap<Severity, usize>, severity: Severity) {
    if let Some(count) = counts.get_mut(&severity) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&severity);
        }
    }
}
