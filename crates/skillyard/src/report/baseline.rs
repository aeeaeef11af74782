//! Findings that somebody looked at and accepted, with the reason.
//!
//! An entry holds for one rule and severity, one file of one skill, and one whole statement as often
//! as it stood there: what changes and what comes along is found again. Entries that accept less
//! than they say are reported. Skills of one name in several folders are counted each for itself.

mod entry;

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use skillyard_scan::{Finding, Report};
use toml_edit::{ArrayOfTables, DocumentMut, Item};

use crate::error::CommandError;
pub(crate) use crate::report::baseline::entry::BaselineEntry;

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
    pub(crate) entry: BaselineEntry,
    /// How many findings it accepted.
    pub(crate) found: usize,
}

/// The findings in one folder that are to be accepted.
#[derive(Debug, Clone)]
pub(crate) struct BaselineRequest<'a> {
    /// The skill there.
    pub(crate) skill: &'a str,
    /// What was found.
    pub(crate) findings: Vec<&'a Finding>,
}

/// The file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    #[serde(default)]
    accepted: Vec<BaselineEntry>,
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
        let is_loose = |entry: &&BaselineEntry| !entry.is_whole();
        self.accepted.iter().filter(is_loose).count()
    }

    /// What these findings make of it: reasons that were given stay, and so does what was accepted in
    /// skills that nobody looked at now.
    pub(crate) fn renewed(self, found: &[BaselineRequest<'_>], reason: &str) -> Vec<BaselineEntry> {
        // The same statement in several places is one entry, if it is for the same reason; and it
        // stands in each of several folders as often as in the one that has most of it.
        let mut counts: BTreeMap<BaselineEntry, usize> = BTreeMap::new();
        for BaselineRequest { skill, findings } in found {
            let mut used = Used::new(&self);
            let mut here: BTreeMap<BaselineEntry, usize> = BTreeMap::new();
            for finding in findings {
                let old = used.take(skill, finding, |old| !old.reason.trim().is_empty());
                let reason = old.map_or(reason, |old| &old.reason);
                if let Some(entry) = BaselineEntry::new(skill, finding, reason) {
                    *here.entry(entry).or_default() += 1;
                }
            }
            for (entry, count) in here {
                let most = counts.entry(entry).or_default();
                *most = count.max(*most);
            }
        }
        let entries = counts.into_iter();
        let mut entries: Vec<BaselineEntry> =
            entries.map(|(entry, count)| entry.times(count)).collect();
        let mut others = self.accepted;
        others.retain(|entry| !found.iter().any(|each| entry.is_of(each.skill)));
        entries.append(&mut others);
        entries
    }
}

/// A baseline that is used: how many findings of one folder each entry has accepted.
pub(crate) struct Used<'a> {
    entries: Vec<Use<'a>>,
}

/// An entry that is used.
struct Use<'a> {
    entry: &'a BaselineEntry,
    /// In the folder that is looked at.
    here: usize,
    /// In the folder where it accepted most.
    most: usize,
}

impl<'a> Used<'a> {
    /// Nothing is accepted yet.
    pub(crate) fn new(baseline: &'a Baseline) -> Self {
        Self {
            entries: baseline.accepted.iter().map(Use::new).collect(),
        }
    }

    /// Takes what is accepted out of the report of a skill in one folder.
    pub(crate) fn apply(&mut self, skill: &str, report: &mut Report) -> Vec<Accepted> {
        for entry in &mut self.entries {
            entry.here = 0;
        }
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
        let is_stale = |Use { entry, most, .. }: &&Use<'_>| {
            let is_short = *most == 0 || entry.is_whole() && *most < entry.count();
            is_short && skills.iter().any(|skill| entry.is_of(skill))
        };
        let stale = self.entries.iter().filter(is_stale);
        let stale = stale.map(|Use { entry, most, .. }| Stale {
            entry: (*entry).clone(),
            found: *most,
        });
        stale.collect()
    }

    /// The first entry that accepts a finding and has not accepted as many as it says.
    fn take(
        &mut self,
        skill: &str,
        finding: &Finding,
        is_good: impl Fn(&BaselineEntry) -> bool,
    ) -> Option<&'a BaselineEntry> {
        let mut entries = self.entries.iter_mut();
        let used = entries.find(|used| {
            let entry = used.entry;
            used.here < entry.count() && entry.covers(skill, finding) && is_good(entry)
        })?;
        used.here += 1;
        used.most = used.most.max(used.here);
        Some(used.entry)
    }
}

impl<'a> Use<'a> {
    fn new(entry: &'a BaselineEntry) -> Self {
        Self {
            entry,
            here: 0,
            most: 0,
        }
    }
}

/// A baseline that accepts `entries`.
pub(crate) fn rendered(mut entries: Vec<BaselineEntry>) -> String {
    entries.sort_unstable();
    let mut tables = ArrayOfTables::new();
    for entry in entries {
        tables.push(entry.table());
    }
    let mut document = DocumentMut::new();
    document["accepted"] = Item::ArrayOfTables(tables);
    format!("# Findings of `skillyard scan` that were looked at and accepted.\n\n{document}")
}
