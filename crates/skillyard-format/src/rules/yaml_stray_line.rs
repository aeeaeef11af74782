//! Lines in the frontmatter that belong to no field.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// Every line of the frontmatter must belong to a field.
    ///
    /// Text before the first field has no place in YAML.
    ///
    /// **Fix:** move it into the body; `--fix` turns it into a comment.
    "yaml-stray-line", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if repair.kind == RepairKind::Stray {
            report
                .add(&RULE, repair.span, "this line belongs to no field".into())
                .help("move it into the body, or make it a comment with `#`")
                .fix(repair.edits.clone());
        }
    }
}
