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
    /// The project that keeps it from being used, if that is another one than the project at hand:
    /// the user has not trusted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<PathBuf>,
}

/// A folder of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether its skills win over all others.
    pub pinned: bool,
}
