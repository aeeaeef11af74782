//! What was in the place of a skill when a change was worked out.
//!
//! Between that and the change somebody may write there, and longer still where a process was killed
//! and another one goes on. So what comes out of a place is thrown away only if it is this.

use std::path::Path;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::journal::AnyPath;
use crate::occupant::look;
use crate::plan::ExistingEntry;
use crate::tree::Fingerprint;

/// What was in a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ObservedEntry {
    /// Nothing.
    Nothing,
    /// A folder of plain files.
    Folder {
        /// Over those that programs did not leave there.
        tidy: Digest,
        /// As long as this is the same, nothing has to be read; nothing where that says too little.
        stamp: Option<Fingerprint>,
    },
    /// A link.
    Link(AnyPath),
    /// Something else, which somebody gave up as it was.
    Other(Fingerprint),
}

impl ObservedEntry {
    /// What an occupant is to be known by.
    pub(crate) fn of(occupant: &ExistingEntry, stamp: Option<Fingerprint>, place: &Path) -> Self {
        match occupant {
            ExistingEntry::Nothing => Self::Nothing,
            ExistingEntry::Folder { tidy, .. } => Self::Folder { tidy: *tidy, stamp },
            ExistingEntry::Link(to) => Self::Link(to.clone().into()),
            // Nobody read it, so that this is early enough.
            ExistingEntry::Repository
            | ExistingEntry::Other(_)
            | ExistingEntry::Blocked(_)
            | ExistingEntry::Dangling(_)
            | ExistingEntry::Looping(_)
            | ExistingEntry::Closed(_) => Self::Other(Fingerprint::of(place)),
        }
    }

    /// Whether it is what lies there.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match self {
            Self::Nothing => path.symlink_metadata().is_err(),
            Self::Folder { tidy, stamp } => {
                let is_untouched = stamp.is_some_and(|stamp| Fingerprint::of(path) == stamp);
                // Whoever wrote the same bytes again loses nothing.
                is_untouched
                    || matches!(look(path), ExistingEntry::Folder { tidy: found, .. } if found == *tidy)
            }
            Self::Link(to) => std::fs::read_link(path).is_ok_and(|found| found == **to),
            Self::Other(stamp) => Fingerprint::of(path) == *stamp,
        }
    }
}
