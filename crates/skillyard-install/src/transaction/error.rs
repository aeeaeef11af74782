//! Why a scope could not be changed.

use std::io;
use std::path::PathBuf;

use crate::journal::{RefusalCause, RefusedMove};
use crate::lockfile::LockfileError;
use crate::manifest::ManifestError;
use crate::store::StoreError;
use crate::tree::TreeError;

/// Why a scope could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// The disk refused.
    #[error("cannot change `{}`", path.display())]
    Disk {
        /// What was to be changed.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Somebody put something else into a place while the change was prepared, and it was undone.
    #[error("somebody changed `{}` meanwhile; nothing was done", path.display())]
    Changed {
        /// The place.
        path: PathBuf,
        /// Where that is which could not go back to its place.
        kept: Vec<PathBuf>,
    },
    /// An earlier change cannot be finished.
    #[error("an interrupted change cannot be finished; it is written in `{}`", path.display())]
    Recovery {
        /// The journal.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The folder of skills is a link that leaves the project.
    #[error("`{target}` leads out of the project, to `{}`", to.display())]
    Outside {
        /// The folder.
        target: String,
        /// Where it leads.
        to: PathBuf,
    },
    /// A link on the way to a folder of skills leads to something else of the project.
    #[error(
        "`{}` is a link, and behind it is `{}`, where no agent has its skills",
        link.display(),
        to.display()
    )]
    NoSkillsBehind {
        /// The link, below the project's root.
        link: PathBuf,
        /// Where the skills would have been written, below the project's root.
        to: PathBuf,
    },
    /// The lock cannot be used.
    #[error(transparent)]
    Lockfile(#[from] LockfileError),
    /// The manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Files cannot be written.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Why a change was undone; what is named beside it could not go back.
pub(super) fn refused(refused: RefusedMove, kept: Vec<PathBuf>) -> TransactionError {
    let RefusedMove {
        path,
        cause,
        source,
    } = refused;
    match cause {
        RefusalCause::Disk => TransactionError::Disk { path, source },
        RefusalCause::Changed => TransactionError::Changed { path, kept },
    }
}
