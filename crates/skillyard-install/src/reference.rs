//! References: the one grammar for where a skill comes from.
//!
//! | written | read as |
//! |---|---|
//! | `./dir`, `../dir`, `/dir`, `~/dir`, `x.zip`, `x.tar.gz`, `x.skill` | [`Reference::Local`] |
//! | `name`, `name@1.2`, `name@^1`, `name@beta`, `@owner/name@^1`, `registry:name`, `alias:name@1` | [`Reference::Registry`] |
//! | `owner/repo/path@revision`, `github:…`, `gitlab:…`, `alias:owner/repo`, addresses of their pages | [`Reference::Hosted`] |
//! | `git+https://…`, `ssh://…`, `git@host:…`, `file:///…`, `….git`, all with `@revision#path` | [`Reference::Git`] |
//! | `https://….zip`, `.tar.gz`, … | [`Reference::Archive`] |
//! | `https://site`, `https://site#name` | [`Reference::WellKnown`] |
//!
//! In a revision `%` and `#` are written `%25` and `%23`; behind a repository that does not end in
//! `.git`, `/` and `@` are written `%2F` and `%40`.
//!
//! A bare `a/b` is a repository of GitHub, never a folder; where a folder of that
//! name exists the reference is refused, because either guess could be the wrong code.
//! Displaying a reference gives a text that reads back as the same one, anywhere.

mod address;
mod context;
mod error;
mod forge;
mod git;
mod identity;
mod local;
mod nearness;
mod parse;
mod registry;
mod requirement;
mod revision;
pub(crate) mod shown;
mod sub_path;
#[cfg(test)]
mod tests;
mod web;

use std::fmt;

use serde::{Deserialize, Serialize};
use skillyard_format::SkillName;

pub use address::{Address, Credentials, is_loopback};
pub use context::{Alias, AliasKind, Aliases, ReferenceContext};
pub use error::{PathProblem, ReferenceError};
pub use forge::{Host, Hosted};
pub use git::{GitReference, Remote};
pub use local::{ArchiveKind, LocalKind, LocalReference};
pub use nearness::Nearness;
pub use parse::SCHEMES;
pub use registry::RegistryReference;
pub use requirement::Requirement;
pub use revision::Revision;
pub use sub_path::SubPath;

/// Where a skill, or a set of skills, comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Reference {
    /// A folder or archive on this machine.
    Local(LocalReference),
    /// A name in a registry.
    Registry(RegistryReference),
    /// A repository on a forge.
    Hosted(Hosted),
    /// A repository of git.
    Git(GitReference),
    /// An archive on the network.
    Archive(Address),
    /// A site that lists its skills at a well-known place.
    WellKnown {
        /// The site, or a part of it.
        address: Address,
        /// One skill of the list; without one, all.
        skill: Option<SkillName>,
    },
}

impl Reference {
    /// The same source in another state: a branch, tag, commit or version requirement.
    pub fn at_revision(mut self, text: &str) -> Result<Self, ReferenceError> {
        match &mut self {
            Self::Hosted(hosted) => hosted.revision = Some(text.parse()?),
            Self::Git(git) => git.revision = Some(text.parse()?),
            Self::Registry(registry) => *registry = registry.clone().at(text)?,
            Self::Local(_) | Self::Archive(_) | Self::WellKnown { .. } => {
                return Err(ReferenceError::NoRevisions {
                    reference: self.to_string(),
                });
            }
        }
        Ok(self)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(local) => local.path.display().fmt(f),
            Self::Registry(reference) => reference.fmt(f),
            Self::Hosted(hosted) => hosted.fmt(f),
            Self::Git(reference) => reference.fmt(f),
            Self::Archive(address)
            | Self::WellKnown {
                address,
                skill: None,
            } => address.fmt(f),
            Self::WellKnown {
                address,
                skill: Some(skill),
            } => write!(f, "{address}#{skill}"),
        }
    }
}

impl TryFrom<String> for Reference {
    type Error = ReferenceError;

    fn try_from(text: String) -> Result<Self, ReferenceError> {
        Self::parse(&text, &ReferenceContext::default())
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> Self {
        reference.to_string()
    }
}
