//! Skills without instructions.

use super::{Report, Subject};

rule! {
    /// A skill should have instructions below its frontmatter.
    ///
    /// They are what a model reads when it activates the skill. Without them it learns
    /// nothing that the description did not say.
    "body-empty", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.mapping().is_some() && subject.document.body().trim().is_empty() {
        report
            .add(&RULE, None, "the skill has no instructions".into())
            .help("write them below the closing `---`");
    }
}
