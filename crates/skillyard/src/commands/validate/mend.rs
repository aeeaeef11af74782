//! Writing what was mended.

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};
use std::{fs, io};

use skillyard_catalog::walk::Found;
use skillyard_format::fix::{self, Fixed};

/// Writes the mended file in place of the old one, which stays whole until it is replaced.
pub(super) fn mend(
    found: &Found<'_>,
    path: &Path,
    directory: Option<&str>,
    named: &[PathBuf],
) -> io::Result<Option<Fixed>> {
    let fixed = fix::fix(found.bytes, found.file_name, directory);
    if let Some(fixed) = &fixed {
        let named = named.iter().map(PathBuf::as_path);
        let folders = std::iter::once(found.folder).chain(named);
        replace(folders, path, fixed.text.as_bytes())?;
    }
    Ok(fixed)
}

fn replace<'p>(
    mut folders: impl Iterator<Item = &'p Path>,
    path: &Path,
    bytes: &[u8],
) -> io::Result<()> {
    // A link is followed, so that what is replaced is the file and not the link to it; but whoever
    // made the link may not choose a file outside of what the user named.
    let path = path.canonicalize()?;
    let holds = |folder: &Path| {
        folder
            .canonicalize()
            .is_ok_and(|folder| path.starts_with(folder))
    };
    if !folders.any(holds) {
        return Err(io::Error::other(
            "it is a link that leads out of the folder",
        ));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    let before = fs::metadata(&path)?;
    temporary.as_file().set_permissions(before.permissions())?;
    // Root takes no file from whom it belongs to.
    if temporary.as_file().metadata()?.uid() == 0 && before.uid() != 0 {
        fchown(temporary.as_file(), Some(before.uid()), Some(before.gid()))?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&path)?;
    Ok(())
}
