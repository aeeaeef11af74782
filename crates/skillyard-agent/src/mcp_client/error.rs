//! Errors of the MCP client.

use std::io;
use std::time::Duration;

/// Characters of a server's error message that are reported.
const MAX_MESSAGE: usize = 300;

/// Why a request to a server failed.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The program could not be started.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// The server exited or closed the connection.
    #[error("the server ended{}", last_line(.stderr))]
    Closed {
        /// The end of its error output.
        stderr: String,
    },
    /// The server did not answer in time.
    #[error("the server did not answer within {} s", seconds(*after))]
    Timeout {
        /// The timeout.
        after: Duration,
    },
    /// A message exceeded the limit.
    #[error("the server sent more than {limit} bytes in one message")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The server violated the protocol.
    #[error("the server does not speak MCP: {problem}")]
    Malformed {
        /// The violation.
        problem: String,
    },
    /// The server answered with a JSON-RPC error.
    #[error("the server refused: {message} (code {code})")]
    Refused {
        /// The error code.
        code: i64,
        /// The error message, shortened.
        message: String,
    },
    /// The server answered with an HTTP status other than success.
    #[error("the server answered with HTTP status {status}{}", status_hint(*.status, .redirect.as_deref()))]
    Status {
        /// The status.
        status: u16,
        /// The URL that the server redirects to, if it has the same origin.
        redirect: Option<String>,
    },
    /// The connection could not be established.
    #[error("cannot reach the server: {problem}")]
    Unreachable {
        /// The cause.
        problem: String,
    },
    /// The server failed before and is not tried again yet.
    #[error("{last}; it is tried again in {} s", wait.as_secs() + 1)]
    Backoff {
        /// The time until the next attempt.
        wait: Duration,
        /// The last error.
        last: String,
    },
    /// No server of that name is configured.
    #[error("unknown MCP server `{0}`")]
    NoServer(String),
    /// The server has no such tool.
    #[error("unknown tool `{0}`")]
    NoTool(String),
    /// A file differs from its listing.
    #[error("`{uri}` is not what the server listed: {problem}")]
    Unverified {
        /// The file.
        uri: String,
        /// The difference.
        problem: String,
    },
    /// The user cancelled the request.
    #[error("it was stopped")]
    Cancelled,
}

impl McpError {
    /// Whether the connection cannot be used after this error.
    pub(super) fn ends_connection(&self) -> bool {
        matches!(
            self,
            Self::Start { .. }
                | Self::Closed { .. }
                | Self::TooLarge { .. }
                | Self::Malformed { .. }
                | Self::Unreachable { .. }
                | Self::Status { .. }
        )
    }

    /// Removes secrets from the server's own words.
    pub(super) fn redacted(self, redact: &dyn Fn(&str) -> String) -> Self {
        match self {
            Self::Refused { code, message } => Self::Refused {
                code,
                message: redact(&message).chars().take(MAX_MESSAGE).collect(),
            },
            Self::Closed { stderr } => Self::Closed {
                stderr: redact(&stderr),
            },
            other => other,
        }
    }

    pub(super) fn malformed(problem: impl Into<String>) -> Self {
        Self::Malformed {
            problem: problem.into(),
        }
    }

    pub(super) fn closed() -> Self {
        Self::Closed {
            stderr: String::new(),
        }
    }
}

/// Seconds, rounded to a tenth.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

fn status_hint(status: u16, redirect: Option<&str>) -> String {
    match (status, redirect) {
        (_, Some(url)) => format!(": it is at `{url}`"),
        (401, None) => ": it wants a token, or another one".into(),
        _ => String::new(),
    }
}

fn last_line(text: &str) -> String {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| format!(": {}", line.trim()))
}
