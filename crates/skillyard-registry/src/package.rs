//! What is done with an upload before anything is stored: unpacked, checked, scanned, packed anew.
//!
//! What is served later is our own packing of the files, so that no trick in the uploaded archive
//! reaches anybody, and the same files always have the same digest.

mod checks;
mod facts;
mod files;
mod lengths;
mod refusal;

use bytes::Bytes;
use jiff::Timestamp;
use semver::Version;
use skillyard_format::package::archive::Shape;
use skillyard_format::package::pack::PackFormat;
use skillyard_format::{Digest, QualifiedName};

pub use facts::{Facts, FileFact, FindingFact};
pub use refusal::Refusal;

pub(crate) use files::{Unpacked, file, tree_of, unpacked, zipped};

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
        Origin::Upload => lengths::check(&version.to_string(), &facts)?,
        Origin::Registry(_) => lengths::cut(&mut facts),
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
