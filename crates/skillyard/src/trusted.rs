//! `approvals.toml` on disk: the projects and the skills that the user has approved.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use skillyard_install::FolderIdentity;
use skillyard_trust::approval::{self, ApprovalChange, ApprovalError, Approvals, TrustedFolder};

use crate::believed::text;
use crate::config::private_file::{lock, write_private};
use crate::error::CommandError;
use crate::error::trust::TrustFailure;

/// Everything that was approved.
pub(crate) fn read(file: &Path) -> Result<Approvals, CommandError> {
    let text = text(file)?;
    Ok(Approvals::parse(&text).map_err(|source| unusable(file, source))?)
}

/// The trusted folders, in order.
pub(crate) fn list(file: &Path) -> Result<Vec<TrustedFolder>, CommandError> {
    Ok(read(file)?.folders)
}

/// A folder as it is now, to be trusted.
pub(crate) fn noted(folder: &Path) -> TrustedFolder {
    TrustedFolder {
        path: folder.to_owned(),
        identity: FolderIdentity::of(folder).map(FolderIdentity::digest),
        owner: folder.metadata().ok().map(|found| found.uid()),
    }
}

/// Whether what lies where a folder was trusted is still that folder, and no stranger's.
pub(crate) fn holds(folder: &TrustedFolder) -> bool {
    let identity = FolderIdentity::of(&folder.path).map(FolderIdentity::digest);
    folder.is_same(identity.as_ref()) && reaches(folder, &folder.path)
}

/// Whether the trust in a folder holds for what is in a place in it, by whom that belongs to.
pub(crate) fn reaches(folder: &TrustedFolder, place: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let found = place.metadata();
    found.is_ok_and(|found| folder.admits(found.uid(), user))
}

/// Changes the file; tells whether that changed anything.
pub(crate) fn change(file: &Path, change: &ApprovalChange<'_>) -> Result<bool, CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let text = text(file)?;
    let edited = approval::edit(&text, change).map_err(|source| unusable(file, source))?;
    let Some(edited) = edited else {
        return Ok(false);
    };
    write_private(file, edited.as_bytes())?;
    Ok(true)
}

fn unusable(file: &Path, source: ApprovalError) -> TrustFailure {
    match source {
        // Nothing is wrong with the file.
        ApprovalError::NotUtf8(folder) => TrustFailure::NotUtf8(folder),
        source => TrustFailure::Approvals {
            path: file.to_owned(),
            source,
        },
    }
}
