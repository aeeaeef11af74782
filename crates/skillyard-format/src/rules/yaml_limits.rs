//! Frontmatter that would cost too much to read.

use super::{Report, Subject};
use crate::document::Frontmatter;

rule! {
    /// Frontmatter may have 64 levels, 20,000 values after its aliases are expanded, and 1 MiB,
    /// as may the text that its aliases stand for.
    ///
    /// Aliases of aliases, or of one long text, can make a few lines expand to gigabytes. Such a
    /// document is refused, not read.
    ///
    /// **Fix:** write the values out, and move data into a file of its own.
    "yaml-limits", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if let Frontmatter::Unreadable { error, .. } = &subject.document.frontmatter
        && error.problem.is_limit()
    {
        report
            .add(
                &RULE,
                error.span,
                format!("the frontmatter is refused: {error}"),
            )
            .help("write values out instead of using aliases, and move data into a file");
    }
}
