//! Why a script cannot be made ready.

use std::io;
use std::path::PathBuf;

use skillyard_catalog::resource::ResourceError;
use skillyard_format::Digest;
use skillyard_sandbox::{HostRuleError, SandboxError};

use crate::shelf::ShelfError;

/// Why a script cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// There is no such script.
    #[error("skill `{skill}` has no script `{script}`")]
    NoSuchScript {
        /// The skill.
        skill: String,
        /// What was asked for.
        script: String,
        /// The nearest that exists.
        nearest: Option<String>,
        /// All that exist.
        scripts: Vec<String>,
    },
    /// Nobody knows what it is written in.
    #[error("`{0}` is no script: it has no `#!` line and no known ending")]
    NotAScript(String),
    /// What it is written in is not here.
    #[error("`{script}` needs `{interpreter}`, which is not installed where a sandbox can use it")]
    NoInterpreter {
        /// The script.
        script: String,
        /// The program it needs.
        interpreter: String,
    },
    /// The folder is not one that a script may work in.
    #[error("`{}` cannot be the workspace: {reason}", path.display())]
    Workspace {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The skill has other bytes than those that were decided about.
    #[error("skill `{skill}` consists of {now}, and not of {wanted} any more")]
    Changed {
        /// The skill.
        skill: String,
        /// What was decided about.
        wanted: Digest,
        /// What is there.
        now: Digest,
    },
    /// No copy can be made here.
    #[error("cannot write to `{}`", path.display())]
    Write {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its files cannot be hashed, so that nobody could say what ran.
    #[error("skill `{skill}` cannot be used: its files cannot be hashed: {}", error.whole())]
    Unhashable {
        /// The skill.
        skill: String,
        /// Why not.
        error: ResourceError,
    },
    /// The skill's files cannot be read.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The skill cannot be given.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// It names no host.
    #[error(transparent)]
    Host(#[from] HostRuleError),
    /// The sandbox refused.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}
