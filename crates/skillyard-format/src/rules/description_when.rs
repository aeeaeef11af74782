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
    /// A field `when_to_use`, as Claude Code has it, says it as well. Only descriptions in English
    /// are judged.
    "description-when", Advice, check
}

/// Words that tell when; each stands between word boundaries.
const CUES: [&str; 18] = [
    "when", "whenever", "if", "for", "use", "used", "using", "user", "before", "after", "during",
    "while", "trigger", "triggers", "asked", "asks", "needs", "invoke",
];

/// Words that hardly any other language has; they show that a text is English.
const ENGLISH: [&str; 14] = [
    "the", "and", "with", "from", "into", "your", "this", "that", "these", "are", "its", "their",
    "which", "such",
];
/// Words that some other language has, too; two of them show it as well.
const SHARED: [&str; 9] = ["a", "an", "as", "at", "by", "it", "on", "or", "to"];
/// A text of so few words may be in English though none of these is in it.
const MAX_SHORT_TEXT_WORDS: usize = 3;

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, text)) = subject.text("description") else {
        return;
    };
    if subject.text("when_to_use").is_some() {
        return;
    }
    let words = || text.split(|c: char| !c.is_alphanumeric());
    let count = |known: &[&str]| {
        let is_known = |word: &&str| known.iter().any(|each| word.eq_ignore_ascii_case(each));
        words().filter(is_known).count()
    };
    let is_english = || {
        let few = text.is_ascii()
            && words().filter(|word| !word.is_empty()).count() <= MAX_SHORT_TEXT_WORDS;
        few || count(&ENGLISH) > 0 || count(&SHARED) > 1
    };
    if count(&CUES) == 0 && is_english() {
        report
            .add(
                &RULE,
                entry.value.span,
                "the description does not say when to use the skill".into(),
            )
            .help("add a sentence such as \"Use when …\"");
    }
}
