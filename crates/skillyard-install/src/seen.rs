//! What was in the place of a skill when a change was worked out.
//!
//! Between that and the change somebody may write there, and longer still where a process was killed
//! and another one goes on. So what comes out of a place is thrown away only if it is this.

use std::path::Path;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::journal::AnyPath;
use crate::occupant::look;
use crate::plan::Occupant;
use crate::tree::Stamp;

/// What was in a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Seen {
    /// Nothing.
    Nothing,
    /// A folder of plain files.
    Folder {
        /// Over those that programs did not leave there.
        tidy: Digest,
        /// As long as this is the same, nothing has to be read; nothing where that says too little.
        stamp: Option<Stamp>,
    },
    /// A link.
    Link(AnyPath),
    /// Something else, which somebody gave up as it was.
    Other(Stamp),
}

impl Seen {
    /// What an occupant is to be known by.
    pub(crate) fn of(occupant: &Occupant, stamp: Option<Stamp>, place: &Path) -> Self {
        match occupant {
            Occupant::Nothing => Self::Nothing,
            Occupant::Folder { tidy, .. } => Self::Folder { tidy: *tidy, stamp },
            Occupant::Link(to) => Self::Link(to.clone().into()),
            // Nobody read it, so that this is early enough.
            Occupant::Repository
            | Occupant::Other(_)
            | Occupant::Blocked(_)
            | Occupant::Dangling(_)
            | Occupant::Looping(_)
            | Occupant::Closed(_) => Self::Other(Stamp::of(place)),
        }
    }

    /// Whether it is what lies there.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match self {
            Self::Nothing => path.symlink_metadata().is_err(),
            Self::Folder { tidy, stamp } => {
                let is_untouched = stamp.is_some_and(|stamp| Stamp::of(path) == stamp);
                // Whoever wrote the same bytes again loses nothing.
                is_untouched
                    || matches!(look(path), Occupant::Folder { tidy: found, .. } if found == *tidy)
            }
            Self::Link(to) => std::fs::read_link(path).is_ok_and(|found| found == **to),
            Self::Other(stamp) => Stamp::of(path) == *stamp,
        }
    }
}
