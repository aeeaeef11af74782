//! Decoded text that is run later.

use super::{Findings, Here, Subject};
use crate::Severity;
use crate::flow::Kind;

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

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for flow in &subject.flows {
        if flow.kind != Kind::DecodedRuns {
            continue;
        }
        let here = Here::new(subject, flow.to.0, flow.to.1);
        let message = "what was decoded before is run";
        findings.add_flow(&RULE, &here, Severity::High, message);
    }
}
