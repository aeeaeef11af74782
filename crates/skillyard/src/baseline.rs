//! Findings that somebody looked at and accepted, with the reason.
//!
//! An entry holds for one rule and severity, one file of one skill, and one whole statement as often
//! as it stood there: what changes and what comes along is found again. Entries that accept less
//! than they say are reported.

mod entry;

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use skillyard_trust::scan::{Finding, Report};
use toml_edit::{ArrayOfTables, DocumentMut, Item};

pub(crate) use self::entry::Entry;
use crate::error::CommandError;

/// A finding that an entry accepts.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    /// What was found.
    pub(crate) finding: Finding,
    /// Why it is accepted.
    pub(crate) reason: String,
}

/// An entry that accepts more than was found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Stale {
    /// The entry.
    #[serde(flatten)]
    pub(crate) entry: Entry,
    /// How many findings it accepted.
    pub(crate) found: usize,
}

/// A finding that is to be accepted, and the skill it is in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The skill.
    pub(crate) skill: &'a str,
    /// What was found.
    pub(crate) finding: &'a Finding,
}

/// The file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    #[serde(default)]
    accepted: Vec<Entry>,
}

impl Baseline {
    /// Reads a baseline that is to be used: each entry has a reason.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let baseline = Self::open(path)?;
        let refuse = |message: String| CommandError::Config {
            path: path.to_owned(),
            message,
        };
        let unfounded = baseline
            .accepted
            .iter()
            .find(|entry| entry.reason.trim().is_empty());
        match unfounded {
            Some(entry) => Err(refuse(format!(
                "the entry for `{}` in `{}` has no `reason`",
                entry.code, entry.path
            ))),
            None => Ok(baseline),
        }
    }

    /// Reads a baseline that is to be written anew; one that is not there accepts nothing.
    pub(crate) fn begun(path: &Path) -> Result<Self, CommandError> {
        match Self::open(path) {
            Err(CommandError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            opened => opened,
        }
    }

    fn open(path: &Path) -> Result<Self, CommandError> {
        let text = fs::read_to_string(path).map_err(|source| CommandError::Read {
            path: path.to_owned(),
            source,
        })?;
        toml::from_str(&text).map_err(|error| CommandError::Config {
            path: path.to_owned(),
            message: error.to_string(),
        })
    }

    /// How many entries accept more than somebody looked at, as all did once.
    pub(crate) fn loose(&self) -> usize {
        let is_loose = |entry: &&Entry| !entry.is_whole();
        self.accepted.iter().filter(is_loose).count()
    }

    /// What these findings in these skills make of it: reasons that were given stay, and so does
    /// what was accepted in skills that nobody looked at now.
    pub(crate) fn renewed(self, skills: &[&str], found: &[Wanted<'_>], reason: &str) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut used = Used::new(&self);
        for Wanted { skill, finding } in found {
            let old = used.take(skill, finding, |old| !old.reason.trim().is_empty());
            let reason = old.map_or(reason, |old| &old.reason);
            entries.extend(Entry::new(skill, finding, reason));
        }
        // The same statement in several places is one entry, if it is for the same reason.
        entries.sort_unstable();
        let same = entries.chunk_by(|a, b| a == b);
        let mut entries: Vec<Entry> = same
            .filter_map(|same| Some(same.first()?.clone().times(same.len())))
            .collect();
        let mut others = self.accepted;
        others.retain(|entry| !skills.iter().any(|skill| entry.is_of(skill)));
        entries.append(&mut others);
        entries
    }
}

/// A baseline that is used: how many findings each entry has accepted.
pub(crate) struct Used<'a> {
    entries: Vec<(&'a Entry, usize)>,
}

impl<'a> Used<'a> {
    /// Nothing is accepted yet.
    pub(crate) fn new(baseline: &'a Baseline) -> Self {
        Self {
            entries: baseline.accepted.iter().map(|entry| (entry, 0)).collect(),
        }
    }

    /// Takes what is accepted out of the report of a skill.
    pub(crate) fn apply(&mut self, skill: &str, report: &mut Report) -> Vec<Accepted> {
        let mut accepted = Vec::new();
        report.findings.retain(|finding| {
            let entry = self.take(skill, finding, |_| true);
            accepted.extend(entry.map(|entry| Accepted {
                finding: finding.clone(),
                reason: entry.reason.clone(),
            }));
            entry.is_none()
        });
        accepted
    }

    /// The entries that accept more than was found in the skills that were looked at.
    pub(crate) fn stale(&self, skills: &[&str]) -> Vec<Stale> {
        let is_stale = |(entry, found): &&(&Entry, usize)| {
            let is_short = *found == 0 || entry.is_whole() && *found < entry.count();
            is_short && skills.iter().any(|skill| entry.is_of(skill))
        };
        let stale = self.entries.iter().filter(is_stale);
        let stale = stale.map(|(entry, found)| Stale {
            entry: (*entry).clone(),
            found: *found,
        });
        stale.collect()
    }

    /// The first entry that accepts a finding and has not accepted as many as it says.
    fn take(
        &mut self,
        skill: &str,
        finding: &Finding,
        is_good: impl Fn(&Entry) -> bool,
    ) -> Option<&'a Entry> {
        let mut entries = self.entries.iter_mut();
        let (entry, used) = entries.find(|(entry, used)| {
            *used < entry.count() && entry.covers(skill, finding) && is_good(entry)
        })?;
        *used += 1;
        Some(entry)
    }
}

/// A baseline that accepts `entries`.
pub(crate) fn rendered(mut entries: Vec<Entry>) -> String {
    entries.sort_unstable();
    let mut tables = ArrayOfTables::new();
    for entry in entries {
        tables.push(entry.table());
    }
    let mut document = DocumentMut::new();
    document["accepted"] = Item::ArrayOfTables(tables);
    format!("# Findings of `skillyard scan` that were looked at and accepted.\n\n{document}")
}
