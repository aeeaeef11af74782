//! Control characters in the instructions.

use super::{Report, Subject};
use crate::span::Span;
use crate::text::is_forbidden;

rule! {
    /// The instructions should not hold control characters.
    ///
    /// Terminals obey some of them, and they can hide text from the person who reviews it.
    ///
    /// **Fix:** remove them.
    "body-control-character", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let span = subject.document.body_span();
    let body = span.of(&subject.document.text);
    // Forbidden characters start with one of these bytes; most bodies have none.
    let suspicious = |byte: u8| match byte {
        b'\t' | b'\n' | b'\r' => false,
        0..=0x1f | 0x7f | 0xc2 | 0xef => true,
        _ => false,
    };
    // A whole run at once is many times faster than a byte at a time.
    let mut runs = body.as_bytes().chunks(256);
    let is_suspicious = |run: &[u8]| {
        run.iter()
            .fold(false, |found, byte| found | suspicious(*byte))
    };
    if subject.mapping().is_none() || !runs.any(is_suspicious) {
        return;
    }
    if let Some((at, c)) = body.char_indices().find(|(_, c)| is_forbidden(*c)) {
        let start = span.start + at;
        report
            .add(
                &RULE,
                Span::new(start, start + c.len_utf8()),
                format!(
                    "the control character U+{:04X} is in the instructions",
                    u32::from(c)
                ),
            )
            .help("remove it");
    }
}
