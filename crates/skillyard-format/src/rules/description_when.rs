//! Descriptions that do not say when.

use super::{Report, Subject};

rule! {
    /// A `description` should say when to use the skill, not only what it does.
    ///
    /// A model matches a task against descriptions. "Use when …", "for …", "if the user …"
    /// are what it can match.
    ///
    /// ```text
    /// description: PDF toolkit.                                             # what
    /// description: Fills PDF forms. Use when a task involves a PDF file.    # what and when
    /// ```
    ///
    /// Only descriptions in English are judged.
    "description-when", Advice, check
}

/// Words that tell when; each stands between word boundaries.
const CUES: [&str; 18] = [
    "when", "whenever", "if", "for", "use", "used", "using", "user", "before", "after", "during",
    "while", "trigger", "triggers", "asked", "asks", "needs", "invoke",
];

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, text)) = subject.text("description") else {
        return;
    };
    if !text.is_ascii() && text.chars().filter(|c| !c.is_ascii()).count() * 4 > text.chars().count()
    {
        return;
    }
    let says_when = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| CUES.iter().any(|cue| word.eq_ignore_ascii_case(cue)));
    if !says_when {
        report
            .add(
                &RULE,
                entry.value.span,
                "the description does not say when to use the skill".into(),
            )
            .help("add a sentence such as \"Use when …\"");
    }
}
