//! Characters a name must not have.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::name::{NameProblem, SkillName, normalise, problems};
use crate::text::escape_invisible;

rule! {
    /// A `name` is made of lowercase letters, digits and hyphens.
    ///
    /// Letters and digits of every script count, after Unicode normalisation (NFKC). Spaces,
    /// capitals, underscores, dots, slashes and colons do not.
    ///
    /// **Fix:** write `PDF Tools` as `pdf-tools`; `--fix` does where that is the folder's name.
    "name-characters", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, name)) = subject.text("name") else {
        return;
    };
    let name = normalise(name);
    let broken: Vec<NameProblem> = problems(&name)
        .filter(|problem| matches!(problem, NameProblem::Uppercase | NameProblem::Character(_)))
        .collect();
    if broken.is_empty() {
        return;
    }
    let reasons: Vec<String> = broken.iter().map(ToString::to_string).collect();
    let (shown, reasons) = (escape_invisible(&name), reasons.join(", and "));
    let message = format!("`{shown}` is not a valid name: {reasons}");
    let proposal = SkillName::from_text(&name);
    let added = report.add(&RULE, entry.value.span, message);
    if let Some(proposal) = proposal {
        let added = added.help(format!("call it `{proposal}`"));
        if subject.directory == Some(proposal.as_str()) && subject.repairs().is_empty() {
            added.fix([Edit::replace(entry.value.span, proposal.to_string())]);
        }
    }
}
