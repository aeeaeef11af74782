//! Frontmatter that has no fields.

use super::{Report, Subject};
use crate::document::Frontmatter;

rule! {
    /// Frontmatter must be a mapping: `key: value` lines.
    ///
    /// An empty block, only comments, a list or a single value hold no `name` and no
    /// `description`.
    ///
    /// **Fix:** write `name: …` and `description: …` between the `---` lines.
    "frontmatter-not-mapping", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Frontmatter::NotMapping { split, found } = &subject.document.frontmatter else {
        return;
    };
    let (span, kind) = match found {
        Some(node) => (node.span, node.kind()),
        None => (split.yaml, "nothing"),
    };
    report
        .add(
            &RULE,
            span,
            format!("the frontmatter is {kind}, not `key: value` lines"),
        )
        .help("write `name: …` and `description: …`");
}
