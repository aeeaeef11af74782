//! Watching the user.

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;

rule! {
    /// Keys, screen, clipboard, messages or the place of the user are recorded.
    ///
    /// Some tools are made for it and say so. In any other skill it is spying.
    ///
    /// **Fix:** remove it, or say openly what is recorded and when.
    "scan-surveillance", High,
    "remove it, or say openly what is recorded and when",
    skill: check
}

static GRAVE: Pattern = Pattern::new(
    r"pynput|keyboard\.(?:on_press|hook|record)|keylogger|messages/chat\.db|_history\b",
);

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for seen in skill.executed(Fact::PersonalData) {
        let ctx = skill.context(seen);
        let severity = match (GRAVE.is_match(ctx.text), ctx.file.is_document) {
            (true, false) => Severity::Medium,
            _ => Severity::Low,
        };
        findings.add_fact(&RULE, seen, severity, "what the user does is recorded");
    }
    for seen in skill.fact_matches(Fact::PersonalData) {
        let ctx = skill.context(seen);
        if ctx.is_prose() && ctx.text.contains("-c \"") {
            findings.add_fact(
                &RULE,
                seen,
                Severity::Medium,
                "what the user does is to be recorded",
            );
        }
    }
}
