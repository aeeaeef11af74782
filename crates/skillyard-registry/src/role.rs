//! What somebody may do with a skill, or with everything in a namespace.
//!
//! There is no role for reading: whoever reaches a registry reads all of it, and a registry that is
//! not for everybody asks for a token at its door (`registry serve --private`). A skill that some
//! may see and others not would still show its name in the log.

use std::fmt;
use std::str::FromStr;

/// A role; each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Publishes versions and moves tags.
    Publisher,
    /// Withdraws versions and deprecates, too.
    Maintainer,
    /// Says who has which role, and hands over, too.
    Owner,
}

impl Role {
    const ALL: [Self; 3] = [Self::Publisher, Self::Maintainer, Self::Owner];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Publisher => "publisher",
            Self::Maintainer => "maintainer",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a role is one of `publisher`, `maintainer` and `owner`")]
pub struct RoleError;

impl FromStr for Role {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, RoleError> {
        let found = Self::ALL.into_iter().find(|each| each.as_str() == text);
        found.ok_or(RoleError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_ordered_and_read_back() {
        assert!(Role::Owner > Role::Maintainer && Role::Maintainer > Role::Publisher);
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert_eq!("reader".parse::<Role>(), Err(RoleError));
    }
}
