//! Folders of Skillyard's own.
//!
//! What they hold decides what is trusted, and is not believed where others may write. So they are
//! never made the way folders are usually made here, which may be open to everybody.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// What the hidden folder is called like in which skills wait until they take their places.
pub const WAITING: &str = ".skillyard-";

/// Makes a folder, and those it lies in, for its owner alone; one that is there stays as it is.
pub fn make(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}
