//! The whole environment, taken.

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::facts::Fact;

rule! {
    /// The whole environment is written down, encoded or handed on.
    ///
    /// The environment holds the tokens of everything the user works with. Passing it to a
    /// child process is normal; turning it into text is not.
    ///
    /// **Fix:** read the variables that are needed, by name.
    "scan-environment-harvest", Medium,
    "read the variables that are needed, by name",
    skill: check
}

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for seen in skill.executed(Fact::WholeEnvironment) {
        let ctx = skill.context(seen);
        let becomes_text = ["dumps", "stringify", "printenv", "env |", "env >"];
        let severity = if becomes_text.iter().any(|word| ctx.text.contains(word)) {
            Severity::Medium
        } else {
            Severity::Info
        };
        findings.add_fact(&RULE, seen, severity, "the whole environment is taken");
    }
}
