//! Why a scope could not be changed.

use std::io;
use std::path::PathBuf;

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
