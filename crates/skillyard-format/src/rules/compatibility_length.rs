//! The length of `compatibility`.

use super::{Report, Subject};
use crate::skill::COMPATIBILITY_LENGTH;

rule! {
    /// `compatibility` has 1 to 500 characters where it is given.
    ///
    /// **Fix:** shorten it, or remove it when it is empty.
    "compatibility-length", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(entry) = subject.field("compatibility") else {
        return;
    };
    let Some(text) = entry.value.as_str() else {
        return;
    };
    let length = text.trim().chars().count();
    if length == 0 {
        report
            .add(&RULE, entry.key_span, "`compatibility` is empty".into())
            .help("say what the skill needs, or remove the field");
    } else if length > COMPATIBILITY_LENGTH {
        report
            .add(
                &RULE,
                entry.value.span,
                format!(
                    "`compatibility` has {length} characters, and at most {COMPATIBILITY_LENGTH} are allowed"
                ),
            )
            .help("keep what the skill needs; move the rest into the body");
    }
}
