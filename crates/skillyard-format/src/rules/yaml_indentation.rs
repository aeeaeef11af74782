//! Fields that are indented by mistake.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// Fields of one mapping must start in the same column.
    ///
    /// ```text
    /// name: pdf-tools
    ///  description: Fills forms.   # invalid: one space too many
    /// ```
    ///
    /// **Fix:** remove the spaces; `--fix` does.
    "yaml-indentation", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if let RepairKind::Indented { key } = &repair.kind {
            report
                .add(&RULE, repair.span, format!("`{key}` is indented"))
                .help("start it in the first column, as the other fields do")
                .fix(repair.edits.clone());
        }
    }
}
