//! Frontmatter without a closing delimiter.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::{Closer, Oddity};
use crate::span::Span;

rule! {
    /// Frontmatter must be closed by a line that says `---`.
    ///
    /// Where it is missing, the block is taken to end with its keys.
    ///
    /// **Fix:** add the line; `--fix` does.
    "frontmatter-unclosed", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(split) = subject.document.split() else {
        return;
    };
    for oddity in &split.oddities {
        if let Oddity::Closer(at, Closer::Missing) = *oddity {
            let text = &subject.document.text;
            let line_break = if text[..at.start].ends_with(['\n', '\r']) {
                ""
            } else {
                "\n"
            };
            // Point at the opening line: that is what lacks its partner.
            let opener = text[..split.yaml.start].rfind("---").unwrap_or(0);
            report
                .add(
                    &RULE,
                    Span::new(opener, opener + 3),
                    "the frontmatter is never closed".into(),
                )
                .help("add a line `---` behind the last field")
                .fix([Edit::replace(
                    Span::at(at.start),
                    format!("{line_break}---\n"),
                )]);
        }
    }
}
