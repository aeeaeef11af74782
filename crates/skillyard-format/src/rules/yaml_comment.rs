//! Text that ends where YAML sees a comment.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::repair::quoted;
use crate::span::{Lines, Span};
use crate::yaml::{ScalarStyle, Value};

/// The fields that are read by people and models; a name with a `#` in it would be none.
const TEXTS: [&str; 3] = ["description", "compatibility", "when_to_use"];

rule! {
    /// Text with a ` #` in it should be in quotes.
    ///
    /// ```text
    /// description: Files issues such as #12       # YAML reads: Files issues such as
    /// description: 'Files issues such as #12'
    /// ```
    ///
    /// A space and `#` start a comment, so that nobody reads what follows.
    ///
    /// **Fix:** put the text in quotes; `--fix` does where no space follows the `#`, as it does in most comments.
    "yaml-comment", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let text = &subject.document.text;
    for (entry, value) in TEXTS.iter().filter_map(|key| subject.text(key)) {
        let span = entry.value.span;
        let Value::Scalar(scalar) = &entry.value.value else {
            continue;
        };
        let rest = Lines::from(text, span.end).next();
        let rest = rest.map_or("", |line| line.text.trim_end());
        let comment = rest.trim_start();
        let is_cut = comment.len() < rest.len() && comment.starts_with('#');
        if scalar.style != ScalarStyle::Plain || !is_cut {
            continue;
        }
        let end = span.end + rest.len();
        let added = report
            .add(
                &RULE,
                Span::new(end - comment.len(), end),
                format!("`{}` ends here, because ` #` starts a comment", entry.key),
            )
            .help("put the text in quotes, or take the comment away");
        let is_word = comment[1..].starts_with(|c: char| c.is_alphanumeric());
        // Only what stands on one line is as it was written.
        if is_word && subject.repairs().is_empty() && span.of(text) == value {
            let whole = Span::new(span.start, end);
            added.fix([Edit::replace(whole, quoted(whole.of(text)))]);
        }
    }
}
