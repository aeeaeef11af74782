//! Code that waits for its moment.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;

rule! {
    /// Code runs something only on a date, on a certain machine, or when it is not observed.
    ///
    /// A test shows nothing, and the day after it does. Checks for a sandbox, a debugger or a
    /// continuous integration before something is run serve the same end.
    ///
    /// **Fix:** remove the condition, or say what it is for.
    "scan-delayed-trigger", High,
    "remove the condition, or say what it is for",
    keywords: &["datetime", "date.now", "date +", "hostname", "time.time()", "hypervisor", "virtualbox", "vmware", "qemu", "platform.node", "date.today", "isdebuggerpresent", "gettrace", "sandbox", "getuser", "time.time (", "time.time("],
    check
}

static CONDITION: Pattern = Pattern::new(
    r#"\bif\b[^:{]{0,80}(?:datetime(?:\.datetime)?\.(?:now|today|utcnow)\s*\(\)|date\.(?:now|today)\s*\(\)|time\.time\s*\(\))[^:{]{0,20}(?:>=?|==)\s*(?:datetime|date|\d{9,}|["']\d{4}-)|\$\(\s*date\s+\+%\w+\s*\)["']?\s*(?:-gt|-ge|>=?|==)\s*["']?\d{4,}|
    \bif\b[^:{]{0,60}(?:hypervisor|isdebuggerpresent|sys\.gettrace|virtualbox|vmware|qemu)|\bif\b[^:{]{0,60}(?:gethostname|getuser|platform\.node)\s*\(\)\s*(?:==|!=|in|not)\b"#,
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let Some(range) = CONDITION.find(ctx.text).filter(|_| ctx.is_executed()) else {
        return;
    };
    let (file, unit) = ctx.index;
    let last = (unit + 5).min(ctx.file.units.len().saturating_sub(1));
    let acts = (unit..=last).any(|unit| {
        let next = UnitContext::new(ctx.skill, file, unit);
        [Fact::Starts, Fact::Evaluates, Fact::Sends, Fact::Decodes]
            .iter()
            .any(|fact| next.has(*fact))
    });
    let severity = if acts { Severity::High } else { Severity::Info };
    findings.add(
        &RULE,
        ctx,
        range,
        severity,
        "something runs only at a certain time or place",
    );
}
