//! Work without end.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;

rule! {
    /// A loop without end or pause asks the network, or the machine is kept busy for nothing.
    ///
    /// It exhausts the machine, the budget, or the server of a third party.
    ///
    /// **Fix:** give the loop an end and a pause.
    "scan-resource-abuse", Medium,
    "give the loop an end and a pause",
    keywords: &["while true", "while :", "while 1", "for (;;)", "for(;;)", "yes >", "hping3", "slowloris", "stress ", "yes>"],
    check
}

static LOOP: Pattern =
    Pattern::new(r"\bwhile\s+(?:true|:|1|\[\s*1\s*\])\s*[;:)]?|\bfor\s*\(\s*;\s*;\s*\)");
static BUSY: Pattern =
    Pattern::new(r"\byes\s*>\s*/dev/null\s*&|\bhping3\b[^;|]*--flood|\bslowloris\b");
static PAUSE: Pattern =
    Pattern::new(r"\bsleep\b|\bbreak\b|settimeout|\breturn\b|\bwait\b|\bread\b|\bexit\b");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() {
        return;
    }
    if let Some(range) = BUSY.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "the machine is kept busy for nothing",
        );
        return;
    }
    let Some(range) = LOOP.find(ctx.text) else {
        return;
    };
    let (file, unit) = ctx.index;
    let last = (unit + 6).min(ctx.file.units.len().saturating_sub(1));
    let body = || (unit..=last).map(|unit| UnitContext::new(ctx.skill, file, unit));
    let asks = body().any(|each| each.has(Fact::Fetches) || each.has(Fact::Sends));
    if asks && !body().any(|each| PAUSE.is_match(each.text)) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "a loop without end asks the network",
        );
    }
}
