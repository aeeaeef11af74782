//! MCP servers of others: what goes wrong, and what can be done about it.

use skillyard_agent::mcp_client::McpError;

/// Why a server of the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpFailure {
    #[error("there is no MCP server `{name}`")]
    NoServer {
        name: String,
        nearest: Option<String>,
    },
    #[error("the address of MCP server `{0}` cannot be used")]
    Address(String),
    #[error("MCP server `{name}` cannot be used")]
    Server { name: String, source: McpError },
}

impl McpFailure {
    /// 1 when the answer is no, 2 when there is none.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::NoServer { .. } | Self::Address(_) => 2,
            Self::Server { .. } => 1,
        }
    }

    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoServer {
                nearest: Some(name),
                ..
            } => format!("Did you mean `{name}`?"),
            Self::NoServer { name, .. } => format!(
                "Name its program with `skillyard config set mcp.servers.{name}.command PROGRAM`, or its address with `mcp.servers.{name}.url`"
            ),
            Self::Server {
                name,
                source: McpError::Start { program, .. },
            } if program.contains('/') && !program.starts_with('/') => format!(
                "It is looked for in the folder it starts in, which is the current one where the project is trusted (`skillyard trust list` shows that), or `mcp.servers.{name}.folder`"
            ),
            Self::Server {
                name,
                source: McpError::Start { .. },
            } => format!("See what is configured with `skillyard config get mcp.servers.{name}`"),
            Self::Server {
                name,
                source:
                    McpError::Status {
                        redirect: Some(to), ..
                    },
            } => format!("Say so with `skillyard config set mcp.servers.{name}.url {to}`"),
            Self::Server {
                name,
                source:
                    McpError::Status {
                        status: 401 | 403, ..
                    },
            } => format!(
                "Give it a token with `skillyard config set mcp.servers.{name}.headers.Authorization 'Bearer ${{TOKEN}}'`"
            ),
            _ => return None,
        })
    }
}
