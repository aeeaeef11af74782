//! Descriptions that are too long.

use super::{Report, Subject};

/// Most characters a description may have.
const MAX_LENGTH: usize = 1024;

rule! {
    /// A `description` may have 1,024 characters.
    ///
    /// Every description is part of every prompt. Clients cut longer ones, or drop the skill.
    ///
    /// **Fix:** keep what the skill does and when to use it; move the rest into the body.
    "description-length", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, text)) = subject.text("description") else {
        return;
    };
    let length = if text.len() > MAX_LENGTH {
        text.trim().chars().count()
    } else {
        0
    };
    if length > MAX_LENGTH {
        report
            .add(
                &RULE,
                entry.value.span,
                format!(
                    "the description has {length} characters, and at most {MAX_LENGTH} are allowed"
                ),
            )
            .help("keep what it does and when to use it; move the rest into the body");
    }
}
