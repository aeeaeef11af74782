//! What can go wrong with the log.

use std::io;
use std::path::PathBuf;

/// Why the log could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// A file or the folder could not be used.
    #[error("cannot use the audit log `{}`", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something stands there that is not a file of ours.
    #[error("the audit log `{}` is not a plain file: links are not followed", path.display())]
    NotAFile {
        /// Which.
        path: PathBuf,
    },
    /// An event could not be written as JSON.
    #[error("the event cannot be written")]
    Unwritable(#[source] serde_json::Error),
    /// Another thread failed while it wrote.
    #[error("the audit log cannot be used after a failure in another thread")]
    Poisoned,
}
