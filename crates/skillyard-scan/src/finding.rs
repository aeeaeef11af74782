//! What the scanner says: findings with severities, and the report that holds them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use skillyard_format::{Digest, Span};

/// How bad a finding is; the worse, the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Common in good skills too.
    Low,
    /// A person should look at it.
    Medium,
    /// Blocks an install.
    High,
    /// An attack, as far as text can show one.
    Critical,
}

impl Severity {
    /// Every severity, the worst first.
    pub const ALL: [Self; 5] = [
        Self::Critical,
        Self::High,
        Self::Medium,
        Self::Low,
        Self::Info,
    ];

    /// Its name for users.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// This severity, `steps` less bad.
    #[must_use]
    pub(super) fn lowered(self, steps: u8) -> Self {
        let mut severity = self;
        for _ in 0..steps {
            severity = match severity {
                Self::Critical => Self::High,
                Self::High => Self::Medium,
                Self::Medium => Self::Low,
                Self::Low | Self::Info => Self::Info,
            };
        }
        severity
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A word that names no severity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no severity")]
pub struct UnknownSeverity(String);

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(text: &str) -> Result<Self, UnknownSeverity> {
        let named = Self::ALL.into_iter().find(|each| each.name() == text);
        named.ok_or_else(|| UnknownSeverity(text.to_owned()))
    }
}

/// One thing that was found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule, as `skillyard explain` knows it.
    pub code: &'static str,
    /// How bad it is, where it stands.
    pub severity: Severity,
    /// The file, below the skill's root.
    pub path: String,
    /// The bytes of the file's text it is about; `None` when it is about the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The line, from 1.
    pub line: usize,
    /// What was found, in one sentence without a full stop.
    pub message: String,
    /// The words it was found in, shortened.
    pub evidence: String,
    /// What to do about it.
    pub help: &'static str,
    /// The digest of all that it is about: its statement on whole lines, its script or its file. It is not kept with
    /// the finding, so one that was read has none.
    #[serde(skip)]
    pub statement: Option<Digest>,
}

/// Most findings of one rule in one file that are shown; the hundredth says no more than the tenth.
const MAX_SHOWN: usize = 10;

/// Findings of one rule in one file that are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OmittedFindings {
    /// The rule.
    pub code: &'static str,
    /// How bad each of them is.
    pub severity: Severity,
    /// The file, below the skill's root.
    pub path: String,
    /// How many there are.
    pub count: usize,
}

/// Everything that was found in a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// The findings, the worst first, then by file and place.
    pub findings: Vec<Finding>,
    /// What was found as well and is only counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<OmittedFindings>,
    /// How many files were looked at.
    pub files: usize,
    /// How many bytes they had.
    pub bytes: usize,
    /// How many bytes the patterns were run over, which grows with the input and no faster.
    #[serde(skip)]
    pub examined: usize,
}

impl Report {
    /// The worst severity, if anything was found.
    pub fn worst(&self) -> Option<Severity> {
        self.severities().map(|(severity, _)| severity).max()
    }

    /// Counts what is beyond the first few of a rule in a file instead of keeping it.
    ///
    /// Findings are accepted before this, so that accepted ones do not displace new ones.
    pub fn shorten(&mut self) {
        let mut seen: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
        let mut counted: BTreeMap<(&'static str, String, Severity), usize> = BTreeMap::new();
        for more in std::mem::take(&mut self.more) {
            let key = (more.code, more.path, more.severity);
            *counted.entry(key).or_default() += more.count;
        }
        self.findings.retain(|each| {
            let shown = seen.entry((each.code, each.path.clone())).or_default();
            *shown += 1;
            if *shown > MAX_SHOWN {
                let key = (each.code, each.path.clone(), each.severity);
                *counted.entry(key).or_default() += 1;
            }
            *shown <= MAX_SHOWN
        });
        let more = counted
            .into_iter()
            .map(|((code, path, severity), count)| OmittedFindings {
                code,
                severity,
                path,
                count,
            });
        self.more = more.collect();
    }

    /// Every severity that was found, and how often.
    fn severities(&self) -> impl Iterator<Item = (Severity, usize)> {
        let kept = self.findings.iter().map(|each| (each.severity, 1));
        kept.chain(self.more.iter().map(|each| (each.severity, each.count)))
    }

    /// The findings at or above `severity`.
    pub fn at_least(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        let is_bad = move |each: &&Finding| each.severity >= severity;
        self.findings.iter().filter(is_bad)
    }

    /// The report in numbers, to be shown, kept or sent.
    pub fn summary(&self) -> SeveritySummary {
        let count = |severity| {
            let same = self.severities().filter(|(each, _)| *each == severity);
            same.map(|(_, count)| count).sum()
        };
        SeveritySummary {
            worst: self.worst(),
            critical: count(Severity::Critical),
            high: count(Severity::High),
            medium: count(Severity::Medium),
            low: count(Severity::Low),
            info: count(Severity::Info),
        }
    }
}

/// How many findings there are of each severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SeveritySummary {
    /// The worst, if anything was found.
    pub worst: Option<Severity>,
    /// Critical findings.
    pub critical: usize,
    /// High findings.
    pub high: usize,
    /// Medium findings.
    pub medium: usize,
    /// Low findings.
    pub low: usize,
    /// Findings that are only worth knowing.
    pub info: usize,
}

impl SeveritySummary {
    /// How many findings have this severity.
    pub fn of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Critical => self.critical,
            Severity::High => self.high,
            Severity::Medium => self.medium,
            Severity::Low => self.low,
            Severity::Info => self.info,
        }
    }
}
