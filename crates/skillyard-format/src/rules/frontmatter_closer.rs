//! Closing delimiters that are nearly right.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::{Closer, Oddity};
use crate::span::Span;

rule! {
    /// The closing line must be `---` and nothing else.
    ///
    /// Dashes with text behind them (`---# Title`), indented dashes and the YAML document
    /// end `...` are understood here, and by few other clients.
    ///
    /// **Fix:** write `---` on a line of its own; `--fix` does.
    "frontmatter-closer", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for oddity in subject.oddities() {
        let Oddity::Closer(line, kind) = *oddity else {
            continue;
        };
        let text = line.of(&subject.document.text);
        let shown = Span::new(line.start, line.start + text.trim_end().len());
        let (message, edit) = match kind {
            Closer::Missing => continue,
            Closer::Glued => (
                "text follows the closing `---` on its line",
                Edit::replace(Span::new(line.start, line.start + 3), "---\n"),
            ),
            Closer::Dots => (
                "the frontmatter is closed by `...`",
                Edit::replace(shown, "---"),
            ),
            Closer::Indented => ("the closing `---` is indented", Edit::replace(shown, "---")),
        };
        report
            .add(&RULE, shown, message.into())
            .help("close it with a line that says `---` and nothing else")
            .fix([edit]);
    }
}
