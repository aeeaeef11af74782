//! The `description` field must be there.

use super::{Report, Subject};

rule! {
    /// A skill must have a `description`.
    ///
    /// It is all a model sees of a skill before it decides to use it, so a skill without one
    /// is not loaded.
    ///
    /// **Fix:** say what the skill does and when to use it, in one or two sentences.
    "description-missing", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if let Some((span, message)) = subject.missing("description") {
        report
            .add(&RULE, span, message)
            .help("say what the skill does and when to use it");
    }
}
