//! Promises that scripts break.

use super::{Findings, Subject};
use crate::Severity;
use crate::facts::Fact;
use crate::hosts::{self, Standing};

rule! {
    /// The skill says that it stays on this machine, and a script of it sends data.
    ///
    /// Users who read "no network access" let the skill see what they would not upload.
    ///
    /// **Fix:** say what is sent and to whom, or do not send it.
    "scan-undeclared-network", High,
    "say what is sent and to whom, or do not send it",
    skill: check
}

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    if subject.says_local.is_none() {
        return;
    }
    let send = subject.done(Fact::Sends).find(|seen| {
        let here = subject.here(seen);
        let is_local = hosts::worst(here.text) == Some(Standing::Local);
        !here.file.is_document && !is_local && hosts::urls(here.text).next().is_some()
    });
    if let Some(send) = send {
        let message = "data is sent, and the skill says that it stays on this machine";
        findings.add_together(&RULE, send, Severity::High, message);
    }
}
