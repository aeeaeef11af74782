//! `approvals.toml` on disk: the projects and the skills that the user has approved.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use skillyard_trust::approval::{self, ApprovalError, Approvals, Change};

use crate::config::private_file::{lock, read_text, write_private};
use crate::error::CommandError;
use crate::error::trust::TrustFailure;

/// Permission for the group or for others to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

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
    let text = text(file)?;
    let edited = approval::edit(&text, change).map_err(|source| unusable(file, source))?;
    let Some(edited) = edited else {
        return Ok(false);
    };
    let _lock = lock(&file.with_extension("lock"))?;
    let mut document: DocumentMut = read_text(file)?
        .parse()
        .map_err(|each: toml_edit::TomlError| error(each.to_string()))?;
    let folders = document
        .entry("folder")
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or_else(|| error("`folder` is not a list of tables".into()))?;
    let path = folder.to_string_lossy().into_owned();
    if trusted && folder.to_str().is_none() {
        return Err(error(format!(
            "`{path}` cannot be written down: its path is not UTF-8"
        )));
    }
    let at = folders
        .iter()
        .position(|each| each.get("path").and_then(Item::as_str) == Some(&path));
    match (trusted, at) {
        (true, None) => {
            let mut table = Table::new();
            table.insert("path", value(path));
            folders.push(table);
        }
        (false, Some(at)) => {
            folders.remove(at);
        }
        _ => return Ok(false),
    }
    write_private(file, document.to_string().as_bytes())?;
    write_private(file, edited.as_bytes())?;
    Ok(true)
}

fn unusable(file: &Path, source: ApprovalError) -> TrustFailure {
    TrustFailure::Approvals {
        path: file.to_owned(),
        source,
    }
}

/// The text of the file, unless somebody else could have written it.
fn text(file: &Path) -> Result<String, CommandError> {
    if let Ok(metadata) = fs::metadata(file)
        && metadata.mode() & WRITABLE_BY_OTHERS != 0
    {
        return Err(TrustFailure::Writable {
            path: file.to_owned(),
            mode: metadata.mode() & 0o777,
        }
        .into());
    }
    read_text(file)
}
