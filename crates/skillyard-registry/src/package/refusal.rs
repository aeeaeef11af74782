//! Why an upload is not published.

use skillyard_format::name::NameProblem;
use skillyard_format::package::archive::ArchiveError;
use skillyard_format::package::pack::PackError;
use skillyard_trust::signature::InvalidSignature;

use super::facts::FindingFact;

/// Why an upload is not published.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The archive.
    #[error("the archive is refused: {0}")]
    Archive(#[from] ArchiveError),
    /// The archive could not be packed anew.
    #[error("the files cannot be packed: {0}")]
    Pack(#[from] PackError),
    /// The rules.
    #[error("the skill is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// The name.
    #[error("`{0}` is not a name for a skill: {1}")]
    Name(String, NameProblem),
    /// There is no version.
    #[error("the skill has no version; set `metadata.version`")]
    NoVersion,
    /// The version.
    #[error("`{0}` is not a semantic version such as `1.2.3`")]
    Version(String),
    /// The version has a build part.
    #[error("the version `{0}` has a part after `+`, which cannot be ordered; leave it out")]
    Build(String),
    /// Something is longer than any address or list could bear.
    #[error("its {what} has {length} characters, and at most {most} are allowed")]
    TooLong {
        /// What it is.
        what: &'static str,
        /// How long it is.
        length: usize,
        /// How long it may be.
        most: usize,
    },
    /// There are more of something than any list could bear.
    #[error("it has {count} {what}, and at most {most} are allowed")]
    TooMany {
        /// What they are.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// The scanner.
    #[error("the scan found what keeps a skill out: {}", told(.0))]
    Findings(Vec<FindingFact>),
    /// The signature.
    #[error("its signature is not valid: {0}")]
    Signature(InvalidSignature),
}

fn told(findings: &[FindingFact]) -> String {
    let told = |each: &FindingFact| format!("{} ({}, {})", each.message, each.code, each.path);
    findings
        .iter()
        .take(3)
        .map(told)
        .collect::<Vec<_>>()
        .join("; ")
}
