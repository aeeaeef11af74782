//! Replacing a file so that readers see the old one or the new one.

use std::io::{self, Write as _};
use std::path::Path;

/// Writes `bytes` beside `path` and puts them in its place.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skillyard-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // A lock is for everyone who works on the project; what it had is kept.
        let mode = std::fs::metadata(path).map_or(0o644, |metadata| metadata.permissions().mode());
        builder.permissions(std::fs::Permissions::from_mode(mode & 0o777));
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    // The folder is not synced: a rename that a power cut takes back leaves the old file,
    // and the journal, which is removed after it, still knows the new one.
    temporary.persist(path)?;
    Ok(())
}
