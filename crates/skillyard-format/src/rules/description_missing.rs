//! The `description` field must be there.

use super::{Report, Subject};
use crate::span::Span;

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
    let Some(split) = subject
        .document
        .split()
        .filter(|_| subject.mapping().is_some())
    else {
        return;
    };
    let entry = subject.field("description");
    if subject.text("description").is_some()
        || entry.is_some_and(|entry| entry.value.as_str().is_none())
    {
        return;
    }
    let (span, message) = match entry {
        Some(entry) => (entry.key_span, "`description` is empty"),
        None => (Span::at(split.yaml.start), "`description` is missing"),
    };
    report
        .add(&RULE, span, message.into())
        .help("say what the skill does and when to use it");
}
