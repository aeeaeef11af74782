//! Decoded text that is run later.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::facts::FlowKind;

rule! {
    /// A value that was decoded, decompressed or put together from bytes is run.
    ///
    /// The steps stand apart, so that no single line shows them: a variable gets the decoded
    /// text, and a later line runs it. Code that means well can be written as it is.
    ///
    /// **Fix:** do not run it. Write the code as it is.
    "scan-decoded-flow", High,
    "do not run it; code that means well can be written as it is",
    skill: check
}

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for flow in &skill.flows {
        if flow.kind != FlowKind::DecodedRuns {
            continue;
        }
        let ctx = UnitContext::new(skill, flow.to.0, flow.to.1);
        let message = "what was decoded before is run";
        findings.add_flow(&RULE, &ctx, Severity::High, message);
    }
}
