//! JSON's way to escape emoji, which YAML does not know.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// A character beyond U+FFFF must not be written as two `\u` escapes.
    ///
    /// `"\uD83D\uDD2D"` is 🔭 in JSON, and an error in YAML.
    ///
    /// **Fix:** write the character itself; `--fix` does.
    "yaml-surrogate-escape", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if repair.kind == RepairKind::Surrogates {
            report
                .add(
                    &RULE,
                    repair.span,
                    "two `\\u` escapes for one character are JSON, not YAML".into(),
                )
                .help("write the character itself")
                .fix(repair.edits.clone());
        }
    }
}
