//! `approvals.toml` on disk: the projects and the skills that the user has approved.

use std::path::{Path, PathBuf};

use skillyard_trust::approval::{self, ApprovalError, Approvals, Change};

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
pub(crate) fn list(file: &Path) -> Result<Vec<PathBuf>, CommandError> {
    Ok(read(file)?.folders)
}

/// Changes the file; tells whether that changed anything.
pub(crate) fn change(file: &Path, change: &Change<'_>) -> Result<bool, CommandError> {
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
    TrustFailure::Approvals {
        path: file.to_owned(),
        source,
    }
}
