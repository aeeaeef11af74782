//! What can go wrong about serving, and hints.

use std::path::PathBuf;

use skillyard_server::{AccessError, HostError, McpError, ServeError};

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeFailure {
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Mcp(McpError),
    #[error("the skills cannot be read")]
    Host(#[source] HostError),
    #[error("cannot use the tokens in `{}`", path.display())]
    Tokens { path: PathBuf, source: AccessError },
    #[error("others can read or write the tokens in `{}` (mode {mode:o})", path.display())]
    Readable { path: PathBuf, mode: u32 },
}

impl ServeFailure {
    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Serve(ServeError::Public(_)) => {
                "Write tokens into a file, one `ROLE TOKEN` a line, and add `--token-file FILE`"
                    .into()
            }
            Self::Serve(ServeError::Bind { .. }) => {
                "Choose another port with `--port`, or any free one with `--port 0`".into()
            }
            Self::Tokens { .. } => {
                "Write a role (`read`, `chat`, `run` or `admin`) and a token a line; \
                 `openssl rand -hex 32` makes one"
                    .into()
            }
            Self::Readable { path, .. } => format!("Run `chmod 600 {}`", path.display()),
            Self::Mcp(_) => {
                "Agents start this command themselves; see how with `skillyard mcp --setup CLIENT`"
                    .into()
            }
            Self::Serve(ServeError::Listener(_)) | Self::Host(_) => return None,
        })
    }
}
