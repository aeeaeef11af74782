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
    /// **Fix:** add `name:` with the folder's name, or write `Name:` in small letters; `--fix` does.
    "name-missing", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((place, message)) = subject.missing("name") else {
        return;
    };
    if let Some(other) = subject.in_other_case("name") {
        report
            .add(&RULE, place, message)
            .help(format!("write `name` instead of `{}`", other.key))
            .fix([Edit::replace(other.key_span, "name")]);
        return;
    }
    let entry = subject.field("name");
    // A folder called `null` or `true` would name the skill nothing.
    let name = subject
        .directory
        .and_then(SkillName::from_text)
        .filter(|name| !matches!(name.as_str(), "null" | "true" | "false"));
    let suggestion = name.as_ref().map_or("my-skill", SkillName::as_str);
    let added = report
        .add(&RULE, place, message)
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
            None => Edit::replace(place, format!("name: {name}\n")),
        }]);
    }
}
