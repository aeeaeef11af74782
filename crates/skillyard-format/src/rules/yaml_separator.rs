//! Fields that are not set apart from their values by a colon and a space.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// A field is followed by a colon and a plain space.
    ///
    /// ```text
    /// description:Fills forms      # invalid: without a space it is all one text
    /// description: Fills forms     # valid
    /// ```
    ///
    /// A no-break space, an ideographic space and the full-width colon `：` look right and separate nothing.
    ///
    /// **Fix:** write `: `; `--fix` does.
    "yaml-separator", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if let RepairKind::Separator { key } = &repair.kind {
            report
                .add(
                    &RULE,
                    repair.span,
                    format!("`{key}` is not followed by a colon and a space"),
                )
                .help("write `: ` behind it")
                .fix(repair.edits.clone());
        }
    }
}
