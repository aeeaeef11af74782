//! Instructions that are too long.

use super::{Report, Subject};
use crate::tokens;

/// Most lines and tokens that the specification recommends.
const MAX_LINES: usize = 500;
const MAX_TOKENS: usize = 5_000;

rule! {
    /// The instructions should have at most 500 lines and 5,000 tokens.
    ///
    /// All of them enter the context when the skill is activated. Tokens are estimated.
    ///
    /// **Fix:** move details into files below `references/`, and say when to read which.
    "body-length", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.mapping().is_none() {
        return;
    }
    let body = subject.document.body();
    let lines = memchr::memchr_iter(b'\n', body.as_bytes()).count();
    // No text has more tokens than half its bytes by our estimate.
    let tokens = if body.len() > 2 * MAX_TOKENS {
        tokens::estimate(body)
    } else {
        0
    };
    let size = match (lines > MAX_LINES, tokens > MAX_TOKENS) {
        (false, false) => return,
        (true, false) => format!("{lines} lines, and at most {MAX_LINES} are recommended"),
        (false, true) => format!("about {tokens} tokens, and at most {MAX_TOKENS} are recommended"),
        (true, true) => format!(
            "{lines} lines and about {tokens} tokens, and at most {MAX_LINES} and {MAX_TOKENS} are recommended"
        ),
    };
    report
        .add(&RULE, None, format!("the instructions have {size}"))
        .help("move details into `references/`, and say when to read which");
}
