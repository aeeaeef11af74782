//! The `name` field must be there.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::name::SkillName;
use crate::span::Span;

rule! {
    /// A skill must have a `name`.
    ///
    /// Without one, the folder's name is used when the skill is loaded.
    ///
    /// **Fix:** add `name:` with the folder's name; `--fix` does.
    "name-missing", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(split) = subject
        .document
        .split()
        .filter(|_| subject.mapping().is_some())
    else {
        return;
    };
    let entry = subject.field("name");
    if subject.text("name").is_some() || entry.is_some_and(|entry| entry.value.as_str().is_none()) {
        return;
    }
    let name = subject.directory.and_then(SkillName::from_text);
    let suggestion = name.as_ref().map_or("my-skill", SkillName::as_str);
    let (span, message) = match entry {
        Some(entry) => (entry.key_span, "`name` is empty"),
        None => (Span::at(split.yaml.start), "`name` is missing"),
    };
    let added = report
        .add(&RULE, span, message.into())
        .help(format!("add `name: {suggestion}`"));
    if let Some(name) = name {
        added.fix([match entry {
            Some(entry) => {
                let span = Span::new(
                    entry.key_span.end,
                    entry.value.span.end.max(entry.key_span.end),
                );
                let text = span.of(&subject.document.text);
                let colon = text.find(':').map_or(span.end, |at| span.start + at + 1);
                Edit::replace(Span::new(colon, span.end.max(colon)), format!(" {name}"))
            }
            None => Edit::replace(Span::at(split.yaml.start), format!("name: {name}\n")),
        }]);
    }
}
