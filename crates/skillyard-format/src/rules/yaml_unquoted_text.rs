//! Values that need quotes.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;

rule! {
    /// Text that YAML reads as something else must be in quotes.
    ///
    /// ```text
    /// description: Usage: run it        # invalid: a second `: `
    /// description: "Usage: run it"      # valid
    /// ```
    ///
    /// The same goes for text that starts with `*`, `&`, `@`, `` ` ``, `[`, `{`, `>` or `|`, and
    /// for text behind a quoted piece. This is the commonest mistake in real files.
    ///
    /// **Fix:** put the value in quotes; `--fix` does.
    "yaml-unquoted-text", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if let RepairKind::Unquoted { key, error } = &repair.kind {
            report
                .add(
                    &RULE,
                    repair.span,
                    format!("the value of `{key}` is not valid YAML: {error}"),
                )
                .help("put it in quotes")
                .fix(repair.edits.clone());
        }
    }
}
