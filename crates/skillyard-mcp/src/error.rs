//! What can go wrong with a server.

use std::io;
use std::time::Duration;

/// How much of a stranger's error is told.
const LONGEST_MESSAGE: usize = 300;

/// Why a server did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// Its program does not start.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It ended, or closed its side.
    #[error("the server ended{}", last_words(.said))]
    Closed {
        /// The end of what it wrote to its error output.
        said: String,
    },
    /// It took too long.
    #[error("the server did not answer within {} s", seconds(*after))]
    Silent {
        /// How long it was waited.
        after: Duration,
    },
    /// It sent more than is allowed.
    #[error("the server sent more than {limit} bytes in one message")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// It does not speak the protocol.
    #[error("the server does not speak MCP: {problem}")]
    Malformed {
        /// What it did.
        problem: String,
    },
    /// It answered with an error.
    #[error("the server refused: {message} (code {code})")]
    Refused {
        /// The error's code.
        code: i64,
        /// What it said, shortened.
        message: String,
    },
    /// It answered with a status that is no answer.
    #[error("the server answered with HTTP status {status}{}", about(*.status, .to.as_deref()))]
    Status {
        /// The status.
        status: u16,
        /// Where else at the same server the answer would be.
        to: Option<String>,
    },
    /// It cannot be reached.
    #[error("cannot reach the server: {problem}")]
    Unreachable {
        /// Why.
        problem: String,
    },
    /// It failed before, and is not tried again yet.
    #[error("{last}; it is tried again in {} s", rest.as_secs() + 1)]
    Resting {
        /// How long it is left alone.
        rest: Duration,
        /// What it failed with.
        last: String,
    },
    /// Nobody of that name is configured.
    #[error("there is no MCP server `{0}`")]
    NoServer(String),
    /// It offers no such tool.
    #[error("there is no tool `{0}`")]
    NoTool(String),
    /// What it gave is not what it listed.
    #[error("`{uri}` is not what the server listed: {problem}")]
    Unverified {
        /// The file.
        uri: String,
        /// How they differ.
        problem: String,
    },
    /// The user stopped it.
    #[error("it was stopped")]
    Cancelled,
}

impl McpError {
    /// Whether the connection is of no use any more.
    pub(crate) fn ends_connection(&self) -> bool {
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

    /// The same, without what nobody may read in the server's words.
    pub(crate) fn redacted(self, redact: &dyn Fn(&str) -> String) -> Self {
        match self {
            Self::Refused { code, message } => Self::Refused {
                code,
                message: redact(&message).chars().take(LONGEST_MESSAGE).collect(),
            },
            Self::Closed { said } => Self::Closed {
                said: redact(&said),
            },
            other => other,
        }
    }

    pub(crate) fn malformed(problem: impl Into<String>) -> Self {
        Self::Malformed {
            problem: problem.into(),
        }
    }
}

/// A time as people say it, to a tenth of a second.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

fn about(status: u16, to: Option<&str>) -> String {
    match (status, to) {
        (_, Some(to)) => format!(": it is at `{to}`"),
        (401, None) => ": it wants a token, or another one".into(),
        _ => String::new(),
    }
}

fn last_words(text: &str) -> String {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| format!(": {}", line.trim()))
}
