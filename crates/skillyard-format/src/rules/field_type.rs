//! Fields of the specification that are not text.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::repair::quoted;
use crate::span::Span;

rule! {
    /// `name`, `description`, `license` and `compatibility` must be text.
    ///
    /// `description: [beta] does x` looks like text and is a YAML list.
    ///
    /// **Fix:** put the value in quotes; `--fix` does where it stands on one line.
    "field-type", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for key in ["name", "description", "license", "compatibility"] {
        let Some(entry) = subject.field(key) else {
            continue;
        };
        let node = &entry.value;
        if node.as_str().is_some() {
            continue;
        }
        let source = node.span.of(&subject.document.text).trim_end();
        let added = report
            .add(
                &RULE,
                node.span,
                format!("`{key}` must be text, and is {}", node.kind()),
            )
            .help("put it in quotes");
        if !source.contains(['\n', '\r']) && source.starts_with(['[', '{']) {
            let span = Span::new(node.span.start, node.span.start + source.len());
            added.fix([Edit::replace(span, quoted(source))]);
        }
    }
}
