//! Switches that are neither on nor off.

use super::{Report, Subject};
use crate::skill::switches;

rule! {
    /// `disable-model-invocation` and `user-invocable` are `true` or `false`.
    ///
    /// `yes`, `no`, `on`, `off`, `y`, `n`, `1` and `0` are read, too. Any other value of
    /// `disable-model-invocation` keeps the skill from models, because that is what the author
    /// wanted who wrote it; any other value of `user-invocable` changes nothing.
    ///
    /// **Fix:** write `true` or `false`.
    "switch-unreadable", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(mapping) = subject.mapping() else {
        return;
    };
    for (key, node, said) in switches(mapping) {
        if said.is_some() {
            continue;
        }
        let meaning = if key == "user-invocable" {
            "so it changes nothing"
        } else {
            "so the skill is kept from models"
        };
        let message = format!("`{key}` is neither `true` nor `false`, {meaning}");
        report
            .add(&RULE, node.span, message)
            .help("write `true` or `false`");
    }
}
