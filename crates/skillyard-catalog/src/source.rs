//! Where skills are read from, and which source wins.
//!
//! Sources are a list in order of precedence. The presets reproduce the orders of
//! other runtimes, so that a catalog here shows what their users see.

mod listed;
mod preset;
mod surroundings;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use listed::project_folders;
pub use preset::{PRESETS, Preset};
pub use surroundings::{Surroundings, has_project_files};

use crate::ProjectTrust;

/// What kind of source a skill came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// An organisation's folder that nothing may shadow.
    OrgPinned,
    /// A folder of installed plugins.
    Plugin,
    /// The project at hand.
    Project,
    /// The user's own folders.
    User,
    /// Folders that the configuration names.
    Extra,
    /// An organisation's folder.
    Org,
    /// Shipped inside the binary.
    Builtin,
    /// Published by an MCP server; never found by looking.
    Mcp,
}

impl SourceKind {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrgPinned => "org-pinned",
            Self::Plugin => "plugin",
            Self::Project => "project",
            Self::User => "user",
            Self::Extra => "extra",
            Self::Org => "org",
            Self::Builtin => "builtin",
            Self::Mcp => "mcp",
        }
    }
}

/// A place that skills are read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its kind.
    pub kind: SourceKind,
    /// Its folder; empty for the skills inside the binary.
    pub root: PathBuf,
    /// The project that it lies in, if that is another one than the project at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherProject>,
}

impl Source {
    /// Whether the user has not trusted the project that it lies in; `here` tells of the one at hand.
    pub fn is_untrusted(&self, here: ProjectTrust) -> bool {
        let other = self.other.as_ref();
        let trust = other.map_or(here, |other| other.trust);
        self.kind == SourceKind::Project && trust == ProjectTrust::Untrusted
    }
}

/// Another project than the one at hand, which a folder of an agent lies in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherProject {
    /// Its root, with no link in it.
    pub root: PathBuf,
    /// Whether the user trusts it.
    pub trust: ProjectTrust,
}

/// A folder of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether its skills win over all others.
    pub pinned: bool,
}
