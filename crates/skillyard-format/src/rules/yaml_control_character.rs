//! Control characters in the frontmatter.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;
use crate::span::Span;

rule! {
    /// Frontmatter must not hold control characters.
    ///
    /// YAML forbids them, some parsers crash on them, and terminals obey them.
    ///
    /// **Fix:** remove them; `--fix` does.
    "yaml-control-character", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if repair.kind == RepairKind::Control {
            let Span { start, .. } = repair.span;
            let character = subject.document.text[start..]
                .chars()
                .next()
                .unwrap_or_default();
            report
                .add(
                    &RULE,
                    repair.span,
                    format!(
                        "the control character U+{:04X} is not allowed",
                        u32::from(character)
                    ),
                )
                .help("remove it")
                .fix(repair.edits.clone());
        }
    }
}
