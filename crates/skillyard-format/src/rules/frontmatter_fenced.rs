//! Frontmatter inside a code fence.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::Oddity;

rule! {
    /// Frontmatter must not be wrapped in a Markdown code fence.
    ///
    /// Files that were copied out of a chat often keep the fence around them.
    ///
    /// **Fix:** remove the fence; `--fix` does.
    "frontmatter-fenced", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for oddity in subject.oddities() {
        if let Oddity::Fenced { open, close } = *oddity {
            report
                .add(
                    &RULE,
                    open,
                    "the frontmatter is wrapped in a code fence".into(),
                )
                .help("remove the fence")
                .fix([Some(open), close].into_iter().flatten().map(Edit::remove));
        }
    }
}
