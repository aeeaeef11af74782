//! Why a program was not run, or not to its end.

use std::io;
use std::path::PathBuf;

use crate::backend::Backend;

/// Why a program was not run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The back end cannot work here.
    #[error("the sandbox `{backend}` cannot be used here: {reason}")]
    Unavailable {
        /// The back end.
        backend: Backend,
        /// What it lacks.
        reason: String,
    },
    /// This is the launcher of a sandbox, and does something else than launch.
    #[error(
        "the program was started as the launcher of a sandbox and did not become it: its `main` must call `skillyard_sandbox::launcher::main` before anything else"
    )]
    NoLauncher,
    /// No back end can work here.
    #[error("no sandbox can be used here: {}", reasons.join("; "))]
    NoBackend {
        /// What each lacks.
        reasons: Vec<String>,
    },
    /// The back end cannot hold the program to the profile.
    #[error("the sandbox `{backend}` cannot enforce this profile: {reason}")]
    Unenforceable {
        /// The back end.
        backend: Backend,
        /// What it cannot do.
        reason: String,
    },
    /// A mount does not exist, or cannot be used.
    #[error("`{}` cannot be used in the sandbox", path.display())]
    Mount {
        /// The place.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something in a workspace became something else while the sandbox was made.
    #[error("`{}` changed while the sandbox was made", path.display())]
    Changed {
        /// The place.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program could not be started inside the sandbox.
    #[error("`{}` could not be started: {reason}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The sandbox itself failed.
    #[error("the sandbox failed to {action}")]
    Setup {
        /// What it was doing.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The launcher could not build the sandbox.
    #[error("the sandbox's launcher failed to {action}")]
    Launcher {
        /// What it was doing.
        action: String,
        /// What the system said.
        source: io::Error,
    },
    /// The sandbox ended without a word about the program.
    #[error("the sandbox `{backend}` failed: {message}")]
    Broken {
        /// The back end.
        backend: Backend,
        /// What it wrote.
        message: String,
    },
}

/// Adds what was being done to an error of the system.
pub(crate) trait Doing<T> {
    /// The value, or the error with what was being done.
    fn doing(self, action: &'static str) -> Result<T, SandboxError>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, action: &'static str) -> Result<T, SandboxError> {
        self.map_err(|source| SandboxError::Setup {
            action,
            source: source.into(),
        })
    }
}
