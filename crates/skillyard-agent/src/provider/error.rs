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
    /// The request has more tokens than the model takes.
    #[error("the request is too long for the model: {message}")]
    Overfull {
        /// What its server said, shortened.
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

/// How servers say that a request has more tokens than the model takes, in small letters.
const OVERFULL: [&str; 12] = [
    "context length",
    "context_length",
    "context window",
    "context size",
    "context_size",
    "context limit",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "request_too_large",
    "reduce the length of the",
];

impl ProviderError {
    /// The error inside a stream.
    pub(super) fn failed(message: String) -> Self {
        if Self::speaks_of_context(&message) {
            return Self::Overfull { message };
        }
        Self::Failed { message }
    }

    /// Whether these are a server's words for a request that is too long for the model.
    pub(super) fn speaks_of_context(text: &str) -> bool {
        let text = text.to_lowercase();
        OVERFULL.iter().any(|words| text.contains(words))
    }

    /// The kind of failure, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::Connect { .. } => "connect",
            Self::Silent { .. } => "timeout",
            Self::Cut { .. } => "cut",
            Self::Failed { .. } => "failed",
            Self::Overfull { .. } => "context",
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
