//! Why a model did not answer.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::Value;

use super::assemble::Assembly;
use super::http::{said, told};

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
        /// Whether the same request may succeed later, of which nothing has come yet.
        passes: bool,
        /// How long it wants us to wait.
        retry_after: Option<Duration>,
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
    /// The error that an event of a stream tells, after so much of an answer.
    pub(super) fn failed(event: &Value, answer: &Assembly) -> Self {
        let message = said(&event.to_string());
        // Behind words a shorter request would say them once more.
        if !answer.has_words() && Self::speaks_of_context(&message) {
            return Self::Overfull { message };
        }
        Self::Failed {
            passes: answer.is_empty() && [&event["error"], event].into_iter().any(passes),
            retry_after: wait_of(&message),
            message,
        }
    }

    /// The same, without the secrets of these headers: a server may quote them wherever it speaks.
    pub(super) fn redacted(mut self, headers: &[(&str, SecretString)]) -> Self {
        let words = match &mut self {
            Self::Status { message, .. }
            | Self::Failed { message, .. }
            | Self::Overfull { message } => message,
            Self::Cut { problem } | Self::Malformed { problem } => problem,
            _ => return self,
        };
        *words = told(std::mem::take(words), headers.iter().map(|each| &each.1));
        self
    }

    /// Whether these are a server's words for a request that is too long for the model.
    pub(super) fn speaks_of_context(text: &str) -> bool {
        let text = text.to_lowercase();
        OVERFULL.iter().any(|words| text.contains(words))
    }

    /// How many tokens an answer may be allowed, where the server refused because `asked` are more
    /// than the model gives.
    pub(crate) fn longest_answer(&self, asked: u32) -> Option<u32> {
        match self {
            Self::Status {
                status: 400 | 422,
                message,
                ..
            } => longest_answer(message, asked),
            _ => None,
        }
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
            Self::Status { status, .. } => is_passing_status(u64::from(*status)),
            // Whoever was silent for so long is not asked again, which would take as long once more.
            Self::Connect { .. } => true,
            Self::Failed { passes, .. } => *passes,
            _ => false,
        }
    }

    /// How long the server wants us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } | Self::Failed { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// What servers call an error inside a stream that passes.
const PASSING: [&str; 9] = [
    "api_error",
    "internal_server_error",
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "server_error",
    "server_is_overloaded",
    "slow_down",
    "timeout_error",
];

/// Whether an error inside a stream is one that would be tried again as a status.
fn passes(error: &Value) -> bool {
    let is_named = |key: &str| error[key].as_str().is_some_and(|it| PASSING.contains(&it));
    let status = error["code"].as_u64();
    is_named("type") || is_named("code") || status.is_some_and(is_passing_status)
}

fn is_passing_status(status: u64) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

/// How long a server wants us to wait that says so in its words alone: "try again in 1.2s".
fn wait_of(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("try again in ")?;
    let end = rest.find(|each: char| !each.is_ascii_digit() && each != '.')?;
    let number: f64 = rest[..end].parse().ok()?;
    let seconds = match &rest[end..] {
        unit if unit.starts_with("ms") => number / 1000.0,
        unit if unit.trim_start().starts_with('s') => number,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

/// How servers call the limit of an answer, in small letters.
const LIMIT: [&str; 6] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "output tokens",
    "completion tokens",
];
/// How they say that it is too much.
const TOO_MUCH: [&str; 8] = [
    " > ",
    "<=",
    "≤",
    "at most",
    "exceed",
    "less than",
    "maximum",
    "too large",
];
/// Shorter answers are not worth asking for.
const MIN_ANSWER_TOKENS: u32 = 256;

/// How many tokens may be asked for, where these are a server's words for `asked` being too many:
/// the number that it names, or else half.
fn longest_answer(words: &str, asked: u32) -> Option<u32> {
    let words = words.to_lowercase();
    let says = |all: &[&str]| all.iter().any(|each| words.contains(each));
    if !says(&LIMIT) || !says(&TOO_MUCH) {
        return None;
    }
    let numbers = words.split(|each: char| !each.is_ascii_digit());
    let numbers = numbers.filter_map(|number| number.parse().ok());
    let fitting = numbers.filter(|number| (MIN_ANSWER_TOKENS..asked).contains(number));
    let most = fitting.max().unwrap_or(asked / 2);
    (most >= MIN_ANSWER_TOKENS).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_in_words_is_understood() {
        let check = |text: &str, milliseconds: Option<u64>| {
            let wait = milliseconds.map(Duration::from_millis);
            assert_eq!(wait_of(text), wait, "{text}");
        };
        check("Please try again in 1.2s.", Some(1200));
        check("Please try again in 28ms. Visit", Some(28));
        check("try again in 3 seconds", Some(3000));
        check("try again in 1m2s", None);
        check("try again in a while", None);
        check("overloaded", None);
    }

    #[test]
    fn the_longest_answer_is_understood() {
        let check = |words: &str, most: Option<u32>| {
            assert_eq!(longest_answer(words, 8192), most, "{words}");
        };
        check(
            "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
            Some(4096),
        );
        check(
            "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
            Some(4096),
        );
        check(
            "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 4096, but got 8192 instead.",
            Some(4096),
        );
        check(
            "`max_tokens` must be less than or equal to `2048`, the maximum value for `max_tokens`",
            Some(2048),
        );
        check("max_tokens exceeds what this model gives", Some(4096));
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            None,
        );
        check(
            "`max_tokens` must be greater than `thinking.budget_tokens`",
            None,
        );
        check("the key is not valid", None);
        assert_eq!(longest_answer("max_tokens is too large", 300), None);
    }
}
