//! What is done with an upload before anything is stored: unpack, check, scan, pack again.
//!
//! Clients are served our own packing of the files. No trick in the uploaded archive reaches them, and
//! the same files always have the same digest.

mod checks;
mod facts;
mod files;

use bytes::Bytes;
pub use facts::{Facts, FileFact, FindingFact};
pub(crate) use files::{Unpacked, file, tree_of, unpacked, zipped};
use jiff::Timestamp;
use semver::Version;
use skillyard_format::name::NameProblem;
use skillyard_format::package::archive::{ArchiveError, Shape};
use skillyard_format::package::pack::{PackError, PackFormat};
use skillyard_format::{Digest, QualifiedName};
use skillyard_trust::signature::InvalidSignature;

/// A skill that may be published.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name, in the namespace that it goes to.
    pub name: QualifiedName,
    /// Its version.
    pub version: Version,
    /// The archive that is served.
    pub archive: Bytes,
    /// The digest of that archive.
    pub digest: Digest,
    /// The digest over the files.
    pub tree: Digest,
    /// Who signed it, as a pin keeps them.
    pub signer: Option<String>,
    /// The worst finding: `clean` without one.
    pub verdict: &'static str,
    /// What is told about it.
    pub facts: Facts,
}

/// Where files come from.
enum Origin {
    /// Somebody who wants to publish them.
    Upload,
    /// Another registry, in the archive that it serves.
    Registry(Bytes),
}

/// Looks at an upload with all its content.
pub fn examine(upload: &[u8], now: Timestamp) -> Result<Package, Refusal> {
    let (files, shape) = files::uploaded(upload)?;
    packaged(&files, &shape, Origin::Upload, now)
}

/// A version that another registry examined and packed: the same, and refused for nothing but
/// what cannot be read. Whether it is believed follows from that registry's log.
pub(crate) fn inspect(archive: Bytes, now: Timestamp) -> Result<Package, Refusal> {
    let files = files::all(&archive)?;
    packaged(&files, &Shape::Flat, Origin::Registry(archive), now)
}

fn packaged(
    files: &[Unpacked],
    shape: &Shape,
    origin: Origin,
    now: Timestamp,
) -> Result<Package, Refusal> {
    let (name, version, mut facts) = checks::described(files, shape)?;
    match origin {
        Origin::Upload => checks::check_lengths(&version.to_string(), &facts)?,
        Origin::Registry(_) => checks::cut_texts(&mut facts),
    }
    let (verdict, findings, grave) = checks::scanned(files);
    if matches!(origin, Origin::Upload) && !grave.is_empty() {
        return Err(Refusal::Findings(grave));
    }
    facts.findings = findings;
    let signer = checks::signer(files, now)?;
    let archive = match origin {
        Origin::Upload => files::packed(files, PackFormat::TarGz)?.into(),
        Origin::Registry(archive) => archive,
    };
    facts.zip = Some(Digest::of(&files::packed(files, PackFormat::ZipStored)?));
    Ok(Package {
        name: name.into(),
        version,
        digest: Digest::of(&archive),
        archive,
        tree: files::tree(files),
        signer,
        verdict,
        facts,
    })
}

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
