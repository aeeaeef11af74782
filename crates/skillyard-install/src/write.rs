//! Replacing a file so that readers see the old one or the new one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Writes `bytes` beside `path` and puts them in its place.
///
/// The caller keeps others from writing the same file. The file beside it always has the same
/// name, so that one which a killed process left is used up by the next.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let beside = folder.join(name);
    // It may be a stranger's, or a link that leads elsewhere.
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // A lock is for everyone who works on the project; what it had is kept.
    let mode = std::fs::metadata(path).map_or(0o644, |metadata| metadata.permissions().mode());
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(mode & 0o777)
        .open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    // The folder is not synced: a rename that a power cut takes back leaves the old file,
    // and the journal, which is removed after it, still knows the new one.
    std::fs::rename(&beside, path)
}
