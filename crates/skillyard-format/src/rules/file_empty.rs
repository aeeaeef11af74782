//! A file without any text.

use super::{Report, Subject};
use crate::document::Frontmatter;
use crate::frontmatter::Absent;

rule! {
    /// A `SKILL.md` must not be empty.
    ///
    /// A skill needs at least frontmatter with a `name` and a `description`.
    ///
    /// **Fix:** write one with `skillyard new NAME`.
    "file-empty", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.document.frontmatter == Frontmatter::Absent(Absent::Empty) {
        report
            .add(&RULE, None, "the file is empty".into())
            .help("write one with `skillyard new NAME`");
    }
}
