//! What a lock's words about where a skill came from mean for trust.

use skillyard_install::lockfile::Locked;
use skillyard_install::origin::{self as install, OriginKind};
use skillyard_trust::provenance::{Origin, Provenance};

/// Where a skill came from, as an entry of a lock says.
pub(crate) fn provenance_of(entry: &Locked) -> Provenance {
    let origin = install::Origin {
        kind: entry.origin,
        url: entry.url.clone().unwrap_or_default(),
        commit: entry.commit.clone(),
        version: entry.version.clone(),
    };
    provenance(&origin, &entry.source, entry.signer.clone())
}

/// What an origin means for trust.
pub(crate) fn provenance(
    origin: &install::Origin,
    source: &str,
    signer: Option<String>,
) -> Provenance {
    let kind = match origin.kind {
        OriginKind::LocalFolder => Origin::LocalFolder,
        OriginKind::LocalArchive => Origin::LocalArchive,
        OriginKind::Git => Origin::Git,
        OriginKind::Archive => Origin::HttpsArchive,
        OriginKind::WellKnown => Origin::WellKnown,
        OriginKind::Registry => Origin::Registry,
    };
    let url = Some(&origin.url).filter(|url| !url.is_empty());
    let found = Provenance {
        url: Some(url.cloned().unwrap_or_else(|| source.to_owned())),
        revision: origin.version.clone().or_else(|| origin.commit.clone()),
        signer,
        ..Provenance::of(kind)
    };
    // What was taken from a place of this machine is local, too: what was said there of where it is
    // from may have come with it. A lock writes such a place as a path.
    let is_copy = is_from_strangers(&found) && source.starts_with(['/', '.']);
    Provenance {
        place: is_copy.then_some(Origin::LocalFolder),
        ..found
    }
}

/// Whether something came from people of whom nothing is known.
pub(crate) fn is_from_strangers(provenance: &Provenance) -> bool {
    matches!(
        provenance.origin,
        Origin::Git | Origin::HttpsArchive | Origin::WellKnown | Origin::Mcp
    )
}
