//! Text before the opening delimiter.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::Oddity;

rule! {
    /// Nothing may stand before the opening `---` line.
    ///
    /// Blank lines and spaces are passed over here; most clients find no frontmatter then.
    ///
    /// **Fix:** remove them; `--fix` does.
    "frontmatter-leading-space", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for oddity in subject.oddities() {
        if let Oddity::LeadingSpace(span) = *oddity {
            report
                .add(
                    &RULE,
                    span,
                    "blank space stands before the opening `---`".into(),
                )
                .help("start the file with `---`")
                .fix([Edit::remove(span)]);
        }
    }
}
