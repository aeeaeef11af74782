//! What can go wrong with agents.

use std::io;
use std::path::PathBuf;

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
