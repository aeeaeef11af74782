//! The ids of calls, as a server takes them.
//!
//! A server gets back the ids that it gave, to the letter: some keep what their model thought in
//! them. Those of another one may be too long for it, or have other letters, and only its refusal
//! tells so.

use std::borrow::Cow;

use skillyard_format::Digest;

/// How many letters and digits the id of a call has where that is laid down: at Mistral.
const SHORT: usize = 9;

/// How a server takes the ids of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// As they were given.
    Own,
    /// Short, as all servers take them.
    Short,
}

impl Ids {
    /// Whether a server that refused a request with these words speaks of an id.
    pub(super) fn are_refused(message: &str) -> bool {
        let message = message.to_lowercase();
        let words = ["tool call id", "call_id", "].id"];
        words.iter().any(|words| message.contains(words))
    }

    /// The id of a call.
    pub(super) fn of(self, own: &str) -> Cow<'_, str> {
        let is_short = own.len() == SHORT && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match self {
            Self::Short if !is_short => {
                Cow::Owned(Digest::of(own.as_bytes()).to_hex()[..SHORT].to_owned())
            }
            _ => Cow::Borrowed(own),
        }
    }
}
