//! Tabs used to indent.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// YAML is indented with spaces, never with tabs.
    ///
    /// **Fix:** use two spaces; `--fix` does.
    "yaml-tab", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if repair.kind == RepairKind::Tab {
            report
                .add(&RULE, repair.span, "a tab indents this line".into())
                .help("use two spaces")
                .fix(repair.edits.clone());
        }
    }
}
