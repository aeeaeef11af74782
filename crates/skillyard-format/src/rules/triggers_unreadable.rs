//! Triggers that call for nothing.

use super::{Report, Subject};
use crate::triggers::problems;

rule! {
    /// `skillyard.triggers` should be keywords, or JSON with `keywords`, `verbs` and `patterns`.
    ///
    /// A search puts a skill first if one of its patterns matches the task, and counts its
    /// keywords and verbs more than other words. JSON that cannot be read, a pattern that is no
    /// regular expression, and one that matches any text call for nothing.
    ///
    /// ```text
    /// metadata:
    ///   skillyard.triggers: pdf acroform
    ///   skillyard.triggers: '{"keywords":["pdf"],"verbs":["fill"],"patterns":["fill (in|out) .*form"]}'
    /// ```
    ///
    /// The same as a mapping in a field `triggers` is read too, though the specification does not
    /// know it.
    "triggers-unreadable", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(mapping) = subject.mapping() else {
        return;
    };
    for (span, problem) in problems(mapping) {
        report.add(&RULE, span, problem).help(
            "write keywords, or JSON such as '{\"keywords\":[\"pdf\"],\"patterns\":[\"fill .*form\"]}'",
        );
    }
}
