//! A folder that is there whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

use skillyard_catalog::private_dir::STAGING_PREFIX;

/// Lets `write` make the folder beside its place, where nobody looks, and moves it there.
pub(crate) fn put<E: From<io::Error>>(
    folder: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let place = folder.parent().filter(|place| *place != Path::new(""));
    let place = place.unwrap_or(Path::new("."));
    fs::create_dir_all(place)?;
    let staging = tempfile::Builder::new()
        .prefix(STAGING_PREFIX)
        .tempdir_in(place)?;
    let waiting = staging.path().join(folder.file_name().unwrap_or_default());
    write(&waiting)?;
    Ok(fs::rename(&waiting, folder)?)
}
