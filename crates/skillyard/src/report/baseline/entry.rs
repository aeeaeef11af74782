//! One accepted finding, as it stands in a baseline.

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;
use skillyard_scan::{Finding, Severity};
use toml_edit::{Table, value};

/// An accepted finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "StoredEntry")]
pub(crate) struct BaselineEntry {
    /// The rule.
    pub(crate) code: String,
    /// The skill's name and the file below it.
    pub(crate) path: String,
    /// What of it.
    #[serde(flatten)]
    pub(crate) what: What,
    /// Why it is accepted.
    pub(crate) reason: String,
}

/// What an entry accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub(crate) enum What {
    /// All that was looked at.
    Statement {
        /// How bad it is.
        severity: Severity,
        /// The digest of the whole statement.
        statement: Digest,
        /// How often it stands there.
        count: usize,
    },
    /// The beginning of the words that were found, as baselines had it once: it also accepts what
    /// comes behind them, and however often.
    Words {
        /// The digest of the words.
        evidence: Digest,
    },
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEntry {
    code: String,
    severity: Option<Severity>,
    path: String,
    statement: Option<Digest>,
    count: Option<usize>,
    evidence: Option<Digest>,
    reason: String,
}

impl TryFrom<StoredEntry> for BaselineEntry {
    type Error = String;

    fn try_from(written: StoredEntry) -> Result<Self, String> {
        let StoredEntry {
            severity,
            statement,
            count,
            evidence,
            ..
        } = written;
        let what = match (statement, severity, evidence) {
            (Some(statement), Some(severity), None) => What::Statement {
                severity,
                statement,
                count: count.unwrap_or(1),
            },
            (None, None, Some(evidence)) if count.is_none() => What::Words { evidence },
            _ => {
                return Err(format!(
                    "the entry for `{}` in `{}` needs `statement` and `severity`",
                    written.code, written.path
                ));
            }
        };
        Ok(Self {
            code: written.code,
            path: written.path,
            what,
            reason: written.reason,
        })
    }
}

impl BaselineEntry {
    /// The entry that accepts a finding where it stands, and nowhere else.
    pub(super) fn new(skill: &str, finding: &Finding, reason: &str) -> Option<Self> {
        Some(Self {
            code: finding.code.to_owned(),
            path: format!("{skill}/{}", finding.path),
            what: What::Statement {
                severity: finding.severity,
                statement: finding.statement?,
                count: 1,
            },
            reason: reason.to_owned(),
        })
    }

    /// Whether it is about a file of the skill.
    pub(super) fn is_of(&self, skill: &str) -> bool {
        self.file(skill).is_some()
    }

    /// Whether it accepts this finding, leaving aside how often.
    pub(super) fn covers(&self, skill: &str, finding: &Finding) -> bool {
        let is_meant = match self.what {
            What::Statement {
                severity,
                statement,
                ..
            } => severity == finding.severity && finding.statement == Some(statement),
            What::Words { evidence } => evidence == Digest::of(finding.evidence.as_bytes()),
        };
        is_meant && self.code == finding.code && self.file(skill) == Some(finding.path.as_str())
    }

    /// How many findings it accepts.
    pub(super) fn count(&self) -> usize {
        match self.what {
            What::Statement { count, .. } => count,
            What::Words { .. } => usize::MAX,
        }
    }

    /// The same for so many findings.
    pub(super) fn times(mut self, times: usize) -> Self {
        if let What::Statement { count, .. } = &mut self.what {
            *count = times;
        }
        self
    }

    /// Whether it accepts only what was looked at.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.what, What::Statement { .. })
    }

    /// The entry as a table of TOML.
    pub(super) fn table(self) -> Table {
        let mut table = Table::new();
        table["code"] = value(self.code);
        match self.what {
            What::Statement {
                severity,
                statement,
                count,
            } => {
                table["severity"] = value(severity.name());
                table["path"] = value(self.path);
                table["statement"] = value(statement.to_string());
                table["count"] = value(i64::try_from(count).unwrap_or(i64::MAX));
            }
            What::Words { evidence } => {
                table["path"] = value(self.path);
                table["evidence"] = value(evidence.to_string());
            }
        }
        table["reason"] = value(self.reason);
        table
    }

    /// The file of the skill that it is about.
    fn file(&self, skill: &str) -> Option<&str> {
        self.path.strip_prefix(skill)?.strip_prefix('/')
    }
}
