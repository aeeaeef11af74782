//! Hyphens in the wrong places of a name.

use super::{Report, Subject};
use crate::name::{NameProblem, SkillName, normalise, problems};

rule! {
    /// A `name` must not start or end with a hyphen, nor have two in a row.
    ///
    /// **Fix:** write `-pdf--tools` as `pdf-tools`.
    "name-hyphens", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, name)) = subject.text("name") else {
        return;
    };
    let name = normalise(name);
    for problem in problems(&name) {
        if matches!(
            problem,
            NameProblem::OuterHyphen | NameProblem::DoubleHyphen
        ) {
            let message = format!("`{name}` is not a valid name: {problem}");
            let added = report.add(&RULE, entry.value.span, message);
            if let Some(proposal) = SkillName::from_text(&name) {
                added.help(format!("call it `{proposal}`"));
            }
        }
    }
}
