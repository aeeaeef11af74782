//! Why a model did not answer.

use std::time::Duration;

/// Why a model did not answer. No variant ever holds a key.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The server said no.
    #[error("the model's server answered {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        message: String,
        /// How long it wants us to wait.
        retry_after: Option<Duration>,
    },
    /// There was no answer.
    #[error("the model's server cannot be reached: {problem}")]
    Connect {
        /// What the network said.
        problem: String,
    },
    /// The server fell silent.
    #[error("the model's server said nothing for {seconds} seconds")]
    Silent {
        /// How long was waited.
        seconds: u64,
    },
    /// The stream ended in the middle.
    #[error("the answer ended in the middle: {problem}")]
    Cut {
        /// What was missing.
        problem: String,
    },
    /// The server reported an error inside a stream.
    #[error("the model's server failed while answering: {message}")]
    Failed {
        /// What it said, shortened.
        message: String,
    },
    /// The answer was not understood.
    #[error("the answer is not what the protocol says: {problem}")]
    Malformed {
        /// What was wrong.
        problem: String,
    },
    /// The answer is too long.
    #[error("the answer has more than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}

impl ProviderError {
    /// The kind of failure, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::Connect { .. } => "connect",
            Self::Silent { .. } => "timeout",
            Self::Cut { .. } => "cut",
            Self::Failed { .. } => "failed",
            Self::Malformed { .. } => "malformed",
            Self::TooLong { .. } => "too_long",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            Self::Connect { .. } | Self::Silent { .. } => true,
            _ => false,
        }
    }

    /// How long the server wants us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
