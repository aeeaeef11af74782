//! Tools of the system used against it.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A tool that every system has is used to fetch, load or start foreign code.
    ///
    /// `certutil`, `bitsadmin`, `rundll32`, `wmic`, `msbuild` and `osascript` pass as
    /// harmless, which is why attackers use them instead of their own programs.
    ///
    /// **Fix:** use a download and a program that can be seen.
    "scan-system-tool", Critical,
    "use a download and a program that can be seen",
    keywords: &["certutil", "bitsadmin", "rundll32", "wmic", "msbuild", "installutil", "osascript", "sc create", "sc.exe", "fltmc", "regsvcs", "cscript", "wscript", "powershell", "win+r", "vssadmin", "wevtutil", "fodhelper", "ms-settings", "windowstyle", "bcdedit", "actions-runner", "insmod"],
    check
}

static FETCH: Pattern = Pattern::new(
    r"\bcertutil\b[^;|]*(?:-urlcache|-decode)|\bbitsadmin\b[^;|]*/transfer|\brundll32\b[^;|]*(?:javascript:|https?:|\\\\)|\bwmic\b[^;|]*process\s+call\s+create|\b(?:installutil|regsvcs|msbuild)\b[^;|]*(?:https?:|\\temp\\|/tmp/)|
    \b(?:cscript|wscript)\b[^;|]*(?:https?:|\\temp)|\bpowershell\b[^;|]*-(?:w(?:indowstyle)?\s+hidden|nop\b|noprofile)[^;|]*-(?:c|command|e\w*|ep|exec\w*)\b|
    \bosascript\b[^;|]*(?:do\s+shell\s+script|display\s+dialog[^;|]*password)|\bsc(?:\.exe)?\s+create\b[^;|]*type=\s*kernel|\bfltmc\s+unload|\bvssadmin\s+delete\s+shadows|\bwevtutil\s+cl\b|\bfodhelper\b|\breg\s+add\b[^;|]*ms-settings|start-process\b[^;|]*-windowstyle\s+hidden|\bbcdedit\b[^;|]*recoveryenabled\s+no",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = FETCH.find(ctx.text) {
        let severity = if ctx.is_executed() {
            Severity::Critical
        } else {
            Severity::Medium
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "a tool of the system is used to run foreign code",
        );
    }
}
