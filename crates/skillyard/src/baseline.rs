//! Findings that somebody looked at and accepted, with the reason.
//!
//! An entry holds for one rule, one file of one skill and the very words that were found:
//! when they change, the finding is back. Entries that accept nothing are reported.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use skillyard_trust::scan::{Finding, Report};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::error::CommandError;

/// An accepted finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The rule.
    pub(crate) code: String,
    /// The skill's name and the file below it.
    pub(crate) path: String,
    /// The digest of the words that were found.
    pub(crate) evidence: String,
    /// Why it is accepted.
    pub(crate) reason: String,
}

/// A finding that an entry accepts.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    /// What was found.
    pub(crate) finding: Finding,
    /// The digest of the words that were found.
    evidence: String,
    /// Why it is accepted.
    pub(crate) reason: String,
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

    /// What `found` in these skills makes of it: reasons that were given stay, and so does what was
    /// accepted in skills that nobody looked at now.
    pub(crate) fn renewed(self, skills: &[&str], found: &[Entry]) -> Vec<Entry> {
        let reason_of = |new: &Entry| {
            let mut given = self.accepted.iter();
            let old = given.find(|old| old.is_about(new) && !old.reason.trim().is_empty());
            old.map_or(&new.reason, |old| &old.reason).clone()
        };
        let mut entries: Vec<Entry> = found
            .iter()
            .map(|new| Entry {
                reason: reason_of(new),
                ..new.clone()
            })
            .collect();
        let mut others = self.accepted;
        others.retain(|entry| !skills.iter().any(|skill| entry.is_of(skill)));
        entries.append(&mut others);
        entries
    }

    /// Takes what is accepted out of the report of a skill.
    pub(crate) fn apply(&self, skill: &str, report: &mut Report) -> Vec<Accepted> {
        let mut accepted = Vec::new();
        report.findings.retain(|finding| {
            let evidence = digest(&finding.evidence);
            let mut entries = self.accepted.iter();
            let Some(entry) = entries.find(|entry| entry.covers(skill, finding, &evidence)) else {
                return true;
            };
            accepted.push(Accepted {
                finding: finding.clone(),
                evidence,
                reason: entry.reason.clone(),
            });
            false
        });
        accepted
    }

    /// The entries that accept nothing of what was found in the skills that were looked at.
    pub(crate) fn stale(&self, looked_at: &[(&str, &[Accepted])]) -> Vec<Entry> {
        let is_stale = |entry: &&Entry| {
            let mut skills = looked_at
                .iter()
                .filter(|(skill, _)| entry.is_of(skill))
                .peekable();
            let known = skills.peek().is_some();
            let used = skills.any(|(skill, accepted)| {
                accepted
                    .iter()
                    .any(|each| entry.covers(skill, &each.finding, &each.evidence))
            });
            known && !used
        };
        self.accepted.iter().filter(is_stale).cloned().collect()
    }
}

impl Entry {
    /// The entry that accepts a finding.
    pub(crate) fn new(skill: &str, finding: &Finding, reason: &str) -> Self {
        Self {
            code: finding.code.to_owned(),
            path: format!("{skill}/{}", finding.path),
            evidence: digest(&finding.evidence),
            reason: reason.to_owned(),
        }
    }

    /// Whether both are about the same words in the same place.
    fn is_about(&self, other: &Self) -> bool {
        self.code == other.code && self.path == other.path && self.evidence == other.evidence
    }

    fn is_of(&self, skill: &str) -> bool {
        let below = self.path.strip_prefix(skill);
        below.is_some_and(|below| below.starts_with('/'))
    }

    fn covers(&self, skill: &str, finding: &Finding, evidence: &str) -> bool {
        let file = self
            .path
            .strip_prefix(skill)
            .and_then(|path| path.strip_prefix('/'));
        self.code == finding.code
            && file == Some(finding.path.as_str())
            && self.evidence == evidence
    }
}

/// A baseline that accepts `entries`.
pub(crate) fn rendered(mut entries: Vec<Entry>) -> String {
    entries.sort_unstable();
    entries.dedup();
    let mut tables = ArrayOfTables::new();
    for entry in entries {
        let mut table = Table::new();
        table["code"] = value(entry.code);
        table["path"] = value(entry.path);
        table["evidence"] = value(entry.evidence);
        table["reason"] = value(entry.reason);
        tables.push(table);
    }
    let mut document = DocumentMut::new();
    document["accepted"] = Item::ArrayOfTables(tables);
    format!("# Findings of `skillyard scan` that were looked at and accepted.\n\n{document}")
}

fn digest(text: &str) -> String {
    let mut hex = String::from("sha256:");
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
