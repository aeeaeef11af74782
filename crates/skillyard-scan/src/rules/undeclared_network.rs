//! Promises that scripts break.

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::facts::Fact;
use crate::hosts::{self, HostTrust};

rule! {
    /// The skill says that it stays on this machine, and a script of it sends data.
    ///
    /// Users who read "no network access" let the skill see what they would not upload.
    ///
    /// **Fix:** say what is sent to which server, or do not send it.
    "scan-undeclared-network", High,
    "say what is sent and to whom, or do not send it",
    skill: check
}

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    if skill.claims_offline.is_none() {
        return;
    }
    let send = skill.executed(Fact::Sends).find(|seen| {
        let ctx = skill.context(seen);
        let is_local = hosts::least_trusted(ctx.text) == Some(HostTrust::Local);
        !ctx.file.is_document && !is_local && hosts::urls(ctx.text).next().is_some()
    });
    if let Some(send) = send {
        let message = "data is sent, and the skill says that it stays on this machine";
        findings.add_in_block(&RULE, send, Severity::High, message);
    }
}
