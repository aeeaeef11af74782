//! Parentheses in `allowed-tools` that do not match.

use super::{Report, Subject};
use crate::allowed_tools::AllowedTools;

rule! {
    /// Every parenthesis in `allowed-tools` should be closed.
    ///
    /// `Bash(git:* Read` allows something, but not what was meant.
    ///
    /// **Fix:** close it: `Bash(git:*) Read`.
    "allowed-tools-parentheses", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(entry) = subject.field("allowed-tools") else {
        return;
    };
    if AllowedTools::from_node(&entry.value).is_some_and(|tools| tools.unbalanced) {
        report
            .add(
                &RULE,
                entry.value.span,
                "a parenthesis has no partner".into(),
            )
            .help("write patterns as `Tool(pattern)`");
    }
}
