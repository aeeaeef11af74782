//! The `description` field must be there.

use super::{Report, Subject};
use crate::edit::Edit;

rule! {
    /// A skill must have a `description`.
    ///
    /// It is all a model sees of a skill before it decides to use it, so a skill without one
    /// is not loaded.
    ///
    /// **Fix:** say what the skill does and when to use it, in one or two sentences; `--fix` writes `Description:` in
    /// small letters.
    "description-missing", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let missing = subject.missing("description");
    if let Some(other) = subject.in_other_case("description")
        && let Some((span, message)) = missing
    {
        report
            .add(&RULE, span, message)
            .help(format!("write `description` instead of `{}`", other.key))
            .fix([Edit::replace(other.key_span, "description")]);
    } else if let Some((span, message)) = missing {
        report
            .add(&RULE, span, message)
            .help("say what the skill does and when to use it");
    }
}
