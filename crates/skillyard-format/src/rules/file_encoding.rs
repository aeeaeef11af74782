//! Files that are not UTF-8.

use super::{Report, Subject};
use crate::span::Span;
use crate::text::Encoding;

rule! {
    /// A `SKILL.md` must be UTF-8.
    ///
    /// UTF-16, as some Windows editors write it, is read when it has a byte order mark, and
    /// other bytes become `�`; but most clients skip such a file without a word.
    ///
    /// **Fix:** save the file as UTF-8.
    "file-encoding", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    match subject.document.encoding {
        Encoding::Utf8 => {}
        Encoding::Utf16 => {
            report
                .add(&RULE, Span::at(0), "the file is UTF-16".into())
                .help("save it as UTF-8");
        }
        Encoding::Unknown { at } => {
            let end = (at + '\u{fffd}'.len_utf8()).min(subject.document.text.len());
            report
                .add(
                    &RULE,
                    Span::new(at.min(end), end),
                    "this byte is not UTF-8".into(),
                )
                .help("save the file as UTF-8");
        }
    }
}
