//! A byte order mark before the frontmatter.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::Oddity;

rule! {
    /// A `SKILL.md` should not start with a byte order mark.
    ///
    /// The mark is invisible, and clients that look for `---` at the first byte skip the
    /// file because of it.
    ///
    /// **Fix:** save as UTF-8 without a byte order mark; `--fix` removes it.
    "file-byte-order-mark", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for oddity in subject.oddities() {
        if let Oddity::ByteOrderMark(span) = *oddity {
            report
                .add(&RULE, span, "the file starts with a byte order mark".into())
                .help("save it as UTF-8 without one")
                .fix([Edit::remove(span)]);
        }
    }
}
