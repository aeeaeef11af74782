//! The name and the folder must agree.

use super::{Report, Subject};
use crate::name::{SkillName, normalise};
use crate::text::escape_invisible;

rule! {
    /// A `name` must be the name of the folder that holds the `SKILL.md`.
    ///
    /// Clients find a skill by either, and when the two differ they disagree about what it is
    /// called. Both are compared after Unicode normalisation (NFKC).
    ///
    /// **Fix:** rename the folder, or change the name.
    "name-matches-directory", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let (Some((entry, name)), Some(directory)) = (subject.text("name"), subject.directory) else {
        return;
    };
    let name = normalise(name);
    if name != normalise(directory) {
        report
            .add(
                &RULE,
                entry.value.span,
                format!(
                    "the name is `{}`, but the folder is called `{}`",
                    escape_invisible(&name),
                    escape_invisible(directory)
                ),
            )
            .help(help(&name, directory));
    }
}

/// Only a valid name is proposed.
fn help(name: &str, directory: &str) -> String {
    match (SkillName::new(name), SkillName::new(directory)) {
        (Ok(_), Ok(_)) => format!("rename the folder to `{name}`, or the skill to `{directory}`"),
        (Ok(_), Err(_)) => format!("rename the folder to `{name}`"),
        (Err(_), Ok(_)) => format!("call the skill `{directory}`, or rename both"),
        (Err(_), Err(_)) => match SkillName::from_text(name) {
            Some(proposal) => format!("call both `{proposal}`"),
            None => "give both the same valid name".to_owned(),
        },
    }
}
