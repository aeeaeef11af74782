//! Names that are too long.

use super::{Report, Subject};
use crate::name::{MAX_LENGTH, normalise};

rule! {
    /// A `name` may have 64 characters.
    ///
    /// **Fix:** shorten it, and the folder's name with it.
    "name-length", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, name)) = subject.text("name") else {
        return;
    };
    let length = normalise(name).chars().count();
    if length > MAX_LENGTH {
        report
            .add(
                &RULE,
                entry.value.span,
                format!("the name has {length} characters, and at most {MAX_LENGTH} are allowed"),
            )
            .help("shorten it, and the folder's name with it");
    }
}
