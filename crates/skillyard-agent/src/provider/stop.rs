//! Why a model stopped, in the words of its server.
//!
//! Half of an answer that is taken for a whole one misleads, and a call in it may do something else
//! than was meant. So only what is known to end a whole answer does.

use skillyard_format::text::one_line;

use super::ProviderError;

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// It was done, or wants its calls made.
    #[default]
    End,
    /// It reached the limit of its answer.
    Length,
    /// It declined.
    Refused,
}

/// What is no reason yet, in small letters and without what joins words: some servers have one of
/// these in every piece.
const NOT_YET: [&str; 4] = ["", "null", "none", "notfinished"];
/// What ends a whole answer.
const WHOLE: [&str; 18] = [
    "stop",
    "stopsequence",
    "stoptoken",
    "end",
    "endturn",
    "endoftext",
    "eos",
    "eostoken",
    "complete",
    "completed",
    "done",
    "finished",
    "normal",
    "pauseturn",
    "toolcall",
    "toolcalls",
    "tooluse",
    "functioncall",
];
/// What says that there was no more room.
const FULL: [&str; 7] = [
    "length",
    "maxlength",
    "maxtokens",
    "maxoutputtokens",
    "modellength",
    "tokenlimit",
    "modelcontextwindowexceeded",
];
/// What a word begins with that says that it may not be said.
const REFUSED: [&str; 11] = [
    "contentfilter",
    "safety",
    "imagesafety",
    "prohibitedcontent",
    "recitation",
    "blocklist",
    "spii",
    "sensitive",
    "refusal",
    "guardrail",
    "errortoxic",
];
/// Most letters of a reason that are told.
const MAX_REASON: usize = 100;

impl Stop {
    /// What a server means with the reason that it gives, if it is one; any that is not known is
    /// one for half of an answer, such as `insufficient_system_resource` or `abort`.
    pub(super) fn of(reason: &str) -> Result<Option<Self>, ProviderError> {
        let letters = reason
            .chars()
            .filter(|letter| !matches!(letter, '_' | '-' | ' '));
        let word = letters.collect::<String>().to_lowercase();
        if NOT_YET.contains(&word.as_str()) {
            Ok(None)
        } else if WHOLE.contains(&word.as_str()) {
            Ok(Some(Self::End))
        } else if FULL.contains(&word.as_str()) {
            Ok(Some(Self::Length))
        } else if REFUSED.iter().any(|start| word.starts_with(start)) {
            Ok(Some(Self::Refused))
        } else {
            let reason: String = one_line(reason).chars().take(MAX_REASON).collect();
            let problem = format!("its server gives `{reason}` as the reason");
            Err(ProviderError::Cut { problem })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_ends_a_whole_answer() {
        for (stop, reasons) in [
            (
                Stop::End,
                &[
                    "stop",
                    "STOP",
                    "tool_calls",
                    "tool-calls",
                    "end_turn",
                    "eos",
                ][..],
            ),
            (Stop::Length, &["length", "MAX_TOKENS", "model_length"]),
            (
                Stop::Refused,
                &[
                    "content_filter",
                    "content_filter: PROHIBITED_CONTENT",
                    "SAFETY",
                    "RECITATION",
                    "sensitive",
                    "refusal",
                ],
            ),
        ] {
            for reason in reasons {
                assert_eq!(Stop::of(reason).unwrap(), Some(stop), "{reason}");
            }
        }
        assert_eq!(Stop::of("").unwrap(), None);
        for reason in ["insufficient_system_resource", "abort", "error", "OTHER"] {
            let error = Stop::of(reason).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
