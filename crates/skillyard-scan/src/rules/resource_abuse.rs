//! Work without end.

use super::{Findings, Here};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;

rule! {
    /// A loop without end or pause asks the network, or the machine is kept busy for nothing.
    ///
    /// It wears out the machine, the bill, or somebody else's server.
    ///
    /// **Fix:** give the loop an end and a pause.
    "scan-resource-abuse", Medium,
    "give the loop an end and a pause",
    words: &["while true", "while :", "while 1", "for (;;)", "for(;;)", "yes >", "hping3", "slowloris", "stress ", "yes>"],
    check
}

static LOOP: Pattern =
    Pattern::new(r"\bwhile\s+(?:true|:|1|\[\s*1\s*\])\s*[;:)]?|\bfor\s*\(\s*;\s*;\s*\)");
static BUSY: Pattern =
    Pattern::new(r"\byes\s*>\s*/dev/null\s*&|\bhping3\b[^;|]*--flood|\bslowloris\b");
static PAUSE: Pattern =
    Pattern::new(r"\bsleep\b|\bbreak\b|settimeout|\breturn\b|\bwait\b|\bread\b|\bexit\b");

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    if !here.runs() {
        return;
    }
    if let Some(range) = BUSY.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "the machine is kept busy for nothing",
        );
        return;
    }
    let Some(range) = LOOP.find(here.text) else {
        return;
    };
    let (file, unit) = here.index;
    let last = (unit + 6).min(here.file.units.len().saturating_sub(1));
    let body = || (unit..=last).map(|unit| Here::new(here.subject, file, unit));
    let asks = body().any(|each| each.has(Fact::Fetches) || each.has(Fact::Sends));
    if asks && !body().any(|each| PAUSE.is_match(each.text)) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "a loop without end asks the network",
        );
    }
}
