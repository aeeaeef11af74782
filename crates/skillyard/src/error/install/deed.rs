//! What was to be done with a skill that was refused.

use std::fmt;

use skillyard_install::lockfile::Lockfile;

use super::InstallFailure;

/// What a refusal kept from being done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Deed {
    /// It was to come here.
    #[default]
    Installed,
    /// It is here, and was to become another edition.
    Updated,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Installed => "installed",
            Self::Updated => "updated",
        })
    }
}

impl InstallFailure {
    /// The skill that may not come here, if that is what is wrong.
    pub(crate) fn refused(&self) -> Option<&str> {
        match self {
            Self::Findings { name, .. }
            | Self::InnerName { name, .. }
            | Self::Signature { name, .. }
            | Self::Revoked { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Says of a skill that is installed that it was not updated.
    pub(crate) fn beside(mut self, lock: &Lockfile) -> Self {
        let is_there = self.refused().is_some_and(|name| lock.get(name).is_some());
        if let Self::Findings { deed, .. }
        | Self::InnerName { deed, .. }
        | Self::Signature { deed, .. }
        | Self::Revoked { deed, .. } = &mut self
            && is_there
        {
            *deed = Deed::Updated;
        }
        self
    }
}
