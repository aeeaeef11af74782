//! Scanning what is not installed: what a reference leads to.

use std::path::{Path, PathBuf};

use skillyard_format::SkillName;
use skillyard_install::reference::ArchiveKind;
use skillyard_install::tree::WriteAccess;
use skillyard_scan::Severity;

use super::scan_folder;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::pick::Pick;
use crate::install::place::{self, ScopeArgs};
use crate::install::supply::Supply;
use crate::report::scan::Scanned;

/// A name that is neither a path nor installed, where there is a registry that may have it.
pub(super) fn registered<'a>(
    context: &Context,
    path: &'a Path,
) -> Result<Option<&'a str>, CommandError> {
    let name = path.to_str().filter(|text| SkillName::new(text).is_ok());
    let registry = context.config()?.get("registry.url").is_some();
    Ok(name.filter(|_| registry))
}

/// The text of a reference: an archive, or what is no path and has the form of one.
pub(super) fn reference(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let is_archive = path.is_file() && ArchiveKind::of(text).is_some();
    let is_address =
        text.contains([':', '@']) || text.contains('/') && !text.starts_with(['.', '/', '~']);
    (is_archive || !path.exists() && is_address).then_some(text)
}

/// Scans what an installation would bring, in a folder that goes afterwards.
pub(super) fn scan_reference(
    context: &Context,
    text: &str,
    fail_on: Severity,
    show: Severity,
) -> Result<Vec<Scanned>, CommandError> {
    let place = place::Place::find(context, &ScopeArgs::default())?;
    let mut supply = Supply::new(context, &place);
    let reference = supply.typed(text)?;
    let candidates = supply.candidates(&reference, &Pick::All)?;
    let quarantine = place.store.staging().map_err(InstallFailure::from)?;
    let mut scanned = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let folder = quarantine.path().join(at.to_string());
        let written = candidate.tree.write(&folder, WriteAccess::ReadOnly);
        written.map_err(InstallFailure::from)?;
        scanned.push(Scanned {
            folder: PathBuf::from(&candidate.source),
            name: candidate.name.clone(),
            ..scan_folder(&folder, fail_on, show)?
        });
    }
    Ok(scanned)
}
