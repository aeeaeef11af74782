//! Tools without a limit.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// The skill asks to use every tool, or any command, without being asked.
    ///
    /// `allowed-tools` is what the user need not confirm. `Bash` alone, `Bash(*)` and `*`
    /// leave nothing to confirm.
    ///
    /// **Fix:** name the commands, as in `Bash(git:*)`.
    "scan-allowed-tools", Low,
    "name the commands, as in `Bash(git:*)`",
    keywords: &["allowed-tools", "allowed_tools"],
    check
}

static BROAD: Pattern = Pattern::new(
    r"^allowed[-_]tools\s*:.*(?:\bbash\s*(?:$|[,\s\]\x22']|\(\s*\*?\s*\)|\(\s*:?\*)|[\s\[\x22'](?:\*|all)(?:[\s\]\x22']|$))",
);
static EVERY: Pattern =
    Pattern::new(r"^allowed[-_]tools\s*:\s*[\[\x22'\s-]*(?:\*|all)[\s\]\x22']*$");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if ctx.unit.kind != UnitKind::Frontmatter {
        return;
    }
    if let Some(range) = EVERY.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Low,
            "every tool may be used unasked",
        );
    } else if let Some(range) = BROAD.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Info,
            "any command may be run unasked",
        );
    }
}
