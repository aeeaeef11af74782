//! What can go wrong with agents.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with agents.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The name cannot be one.
    #[error("`{name}` is no name for an agent: {problem}")]
    Name {
        /// The name.
        name: String,
        /// Why.
        problem: String,
    },
    /// There is none of this name.
    #[error("there is no agent `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// One like it.
        nearest: Option<String>,
    },
    /// There is one of this name.
    #[error("there is an agent `{0}` already")]
    Exists(String),
    /// It has no such version.
    #[error("agent `{name}` has no version {version}; it has 1 to {last}")]
    NoVersion {
        /// The agent.
        name: String,
        /// The version.
        version: u32,
        /// The last one.
        last: u32,
    },
    /// A version is not what it was.
    #[error("version {version} of agent `{name}` was changed on disk: its hash does not match")]
    Changed {
        /// The agent.
        name: String,
        /// The version.
        version: u32,
    },
    /// A file is not understood.
    #[error("`{}` cannot be understood", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        source: toml::de::Error,
    },
    /// A definition cannot be written.
    #[error("the agent cannot be written down")]
    Unwritable(#[from] toml::ser::Error),
    /// A file cannot be used.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl AgentError {
    /// What is wrong with the files of an agent, for those who are not to read paths of this machine:
    /// which of them it is, and why. Nothing where it is no fault of the files.
    pub fn damage(&self) -> Option<String> {
        match self {
            Self::Damaged { path, source } => {
                let reason = source.message().lines().next().unwrap_or_default();
                // What it quotes of the file may be a path.
                let reason = if reason.contains('/') { "" } else { reason };
                let reason = match reason {
                    "" => String::new(),
                    reason => format!(": {reason}"),
                };
                Some(format!("`{}` cannot be understood{reason}", within(path)))
            }
            Self::Io { path, source } => {
                Some(format!("`{}` cannot be used: {source}", within(path)))
            }
            Self::Changed { .. } => Some(self.to_string()),
            _ => None,
        }
    }
}

/// A file as it is called in the folder of its agent.
fn within(path: &Path) -> String {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let file = name(path).unwrap_or_default();
    match path.parent().and_then(name) {
        Some(folder) if folder == "versions" => format!("{folder}/{file}"),
        _ => file,
    }
}
