//! What is closed to the user: where it is passed over, what opens it is said, too.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use skillyard_catalog::path_probe;

use crate::error::install::opening_hint;

/// What opens a folder or file that the user may not read, or the folder on the way to it.
pub(crate) fn remedy(path: &Path) -> Option<String> {
    let found = path_probe::inaccessible(path).or_else(|| file(path));
    found.map(|closed| opening_hint(&closed))
}

/// A plain file, if it may not be read.
fn file(path: &Path) -> Option<PathBuf> {
    // Whoever opens a pipe waits for somebody to write into it.
    let is_file = path.metadata().is_ok_and(|found| found.is_file());
    let is_refused = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    (is_file && File::open(path).is_err_and(is_refused)).then(|| path.to_owned())
}
