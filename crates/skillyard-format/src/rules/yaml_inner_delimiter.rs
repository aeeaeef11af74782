//! A `---` line inside the frontmatter.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// A line `---` closes the frontmatter, also where it was meant as text.
    ///
    /// Here the block is read on to the next `---` line when only that makes it valid; other
    /// clients cut it at the first.
    ///
    /// **Fix:** remove the line, or indent it inside a `|` block.
    "yaml-inner-delimiter", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if repair.kind == RepairKind::LaterCloser {
            report
                .add(
                    &RULE,
                    repair.span,
                    "this `---` stands inside the frontmatter".into(),
                )
                .help("remove it, or indent it: most clients end the frontmatter here")
                .fix(repair.edits.clone());
        }
    }
}
