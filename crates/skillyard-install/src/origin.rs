//! Where the bytes of a skill came from, as the lock remembers it.

use serde::{Deserialize, Serialize};

/// The kind of place that bytes came from: what trust follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OriginKind {
    /// A folder of this machine.
    LocalFolder,
    /// An archive on this machine.
    LocalArchive,
    /// A git repository, or a git host's archive of one.
    Git,
    /// An archive from a web server.
    Archive,
    /// The index of a web site.
    WellKnown,
    /// A registry.
    Registry,
}

impl OriginKind {
    /// Whether it came over a network, or could have.
    pub fn is_remote(self) -> bool {
        !matches!(self, Self::LocalFolder | Self::LocalArchive)
    }

    /// The words for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::LocalFolder => "a folder of this machine",
            Self::LocalArchive => "an archive on this machine",
            Self::Git => "a git repository",
            Self::Archive => "an archive from the web",
            Self::WellKnown => "a web site's index",
            Self::Registry => "a registry",
        }
    }
}

/// Where bytes came from, as exactly as it could be found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The kind of place.
    pub kind: OriginKind,
    /// The address that was asked, without secrets.
    pub url: String,
    /// The commit, where there is one.
    pub commit: Option<String>,
    /// The version, where there is one.
    pub version: Option<String>,
}
