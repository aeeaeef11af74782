//! Where a lock contradicts itself: each side of a merge can be right, and both together wrong.

use std::fmt;

use semver::Version;

use super::{Locked, Lockfile, Required};
use crate::origin::OriginKind;
use crate::reference::Requirement;

/// What one entry of a lock says and another, or it itself, does not keep to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// A skill needs one that is not locked.
    Missing {
        /// The skill.
        name: String,
        /// What it needs.
        needed: String,
    },
    /// A skill needs other versions of another one than the one that is locked.
    Unfit {
        /// The skill.
        name: String,
        /// What it needs.
        needed: String,
        /// The versions that would do.
        requested: String,
        /// The version that is locked.
        version: String,
    },
    /// A skill was asked for in other versions than the one that is locked.
    Unasked {
        /// The skill.
        name: String,
        /// The versions that were asked for.
        requested: String,
        /// The version that is locked.
        version: String,
    },
}

impl Gap {
    /// The skill that does not have what it should.
    pub fn name(&self) -> &str {
        match self {
            Self::Missing { name, .. } | Self::Unfit { name, .. } | Self::Unasked { name, .. } => {
                name
            }
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, needed } => {
                write!(f, "`{name}` needs `{needed}`, which is not locked")
            }
            Self::Unfit {
                name,
                needed,
                requested,
                version,
            } => write!(
                f,
                "`{name}` needs `{needed}@{requested}`, and {version} is locked"
            ),
            Self::Unasked {
                name,
                requested,
                version,
            } => write!(
                f,
                "`{name}@{requested}` was asked for, and {version} is locked"
            ),
        }
    }
}

impl Lockfile {
    /// Where it contradicts itself, sorted by the names of the skills.
    pub fn gaps(&self) -> Vec<Gap> {
        let gaps = |entry: &Locked| {
            let own = unasked(entry);
            let needs = entry.requires.iter();
            let needs = needs.filter_map(|required| self.gap(entry, required));
            own.into_iter().chain(needs).collect::<Vec<_>>()
        };
        self.skills.iter().flat_map(gaps).collect()
    }

    fn gap(&self, entry: &Locked, required: &Required) -> Option<Gap> {
        let name = entry.name.clone();
        let needed = required.name.clone();
        let Some(locked) = self.get(&needed) else {
            return Some(Gap::Missing { name, needed });
        };
        let (requested, version) = ruled_out(required.requested.as_ref()?, locked)?;
        Some(Gap::Unfit {
            name,
            needed,
            requested,
            version,
        })
    }
}

/// That what was asked for is not what is locked. Of a dependency only those who need it decide.
fn unasked(entry: &Locked) -> Option<Gap> {
    let requested = entry.requested.as_ref().filter(|_| !entry.dependency)?;
    let (requested, version) = ruled_out(requested, entry)?;
    Some(Gap::Unasked {
        name: entry.name.clone(),
        requested,
        version,
    })
}

/// What was requested and what is locked, where that is certainly none of it.
fn ruled_out(requested: &str, locked: &Locked) -> Option<(String, String)> {
    let version = locked.version.as_ref()?;
    rules_out(requested, version, locked.origin).then(|| (requested.to_owned(), version.clone()))
}

/// Whether a version is certainly none of those that were requested. What a tag or a branch stands
/// for only its source knows.
pub(crate) fn rules_out(requested: &str, version: &str, origin: OriginKind) -> bool {
    let (Ok(range), Ok(version)) = (requested.parse::<Requirement>(), Version::parse(version))
    else {
        return false;
    };
    let is_range = matches!(range, Requirement::Range { .. });
    let is_certain = origin == OriginKind::Registry || !range.could_be_a_name();
    is_range && is_certain && !range.matches(&version)
}
