//! `allowed-tools` without a tool in it.

use super::{Report, Subject};
use crate::allowed_tools::AllowedTools;

rule! {
    /// `allowed-tools` should name a tool, or not be there.
    ///
    /// A list that is there is all that the skill may use: an empty one allows nothing, not everything.
    ///
    /// **Fix:** name the tools, or take the field away.
    "allowed-tools-empty", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(entry) = subject.field("allowed-tools") else {
        return;
    };
    if AllowedTools::from_node(&entry.value).is_some_and(|tools| tools.patterns.is_empty()) {
        report
            .add(
                &RULE,
                entry.key_span,
                "`allowed-tools` names no tool, so the skill may use none".into(),
            )
            .help("name the tools, or take the field away");
    }
}
