//! The projects whose skills the user trusts: `[[folder]]` in `approvals.toml`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::config::private_file::{lock, read_text, write_private};
use crate::error::CommandError;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Approvals {
    folder: Vec<Folder>,
}

#[derive(Debug, Deserialize)]
struct Folder {
    path: PathBuf,
}

/// The trusted folders, in order.
pub(crate) fn list(file: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let text = read_text(file)?;
    let approvals: Approvals = toml::from_str(&text).map_err(|error| CommandError::Config {
        path: file.to_owned(),
        message: error.to_string().trim().to_owned(),
    })?;
    let mut folders: Vec<PathBuf> = approvals
        .folder
        .into_iter()
        .map(|folder| folder.path)
        .collect();
    folders.sort_unstable();
    Ok(folders)
}

/// Trusts a folder, or no longer; tells whether that changed anything.
pub(crate) fn set(file: &Path, folder: &Path, trusted: bool) -> Result<bool, CommandError> {
    let error = |message: String| CommandError::Config {
        path: file.to_owned(),
        message,
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
    Ok(true)
}
