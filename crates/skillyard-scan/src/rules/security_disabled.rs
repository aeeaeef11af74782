//! Guards sent home.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A guard of the system is switched off or passed by.
    ///
    /// Virus scanners, Gatekeeper's quarantine, `SELinux`, checks of certificates and of host
    /// keys are there for the moment a skill asks to switch them off.
    ///
    /// **Fix:** leave it on.
    "scan-security-disabled", Critical,
    "leave it on",
    keywords: &["mppreference", "quarantine", "spctl", "csrutil", "setenforce", "defender", "stricthostkeychecking", "verify=false", "--insecure", "curl -k", "node_tls_reject", "-k ", "executionpolicy", "sslverify", "amsi", "auditctl", "history -c", "unset histfile", "rejectunauthorized", "strict-ssl", "userknownhostsfile", "systemctl", "_history", "histsize=0", "com.apple.alf", "unload", "verify =", "verify=", "xattr"],
    check
}

static GRAVE: Pattern = Pattern::new(
    r"(?:set|add)-mppreference\b[^;|]*-(?:disable\w+|exclusion\w+)|\bspctl\s+--(?:master|global)-disable|\bcsrutil\s+disable|\bsetenforce\s+0|amsi(?:utils|initfailed|scanbuffer)|
    \b(?:rm|ln|shred)\s[^;|]*\.(?:bash|zsh)_history|\bhistsize=0\b|com\.apple\.alf['\x22,\s]+globalstate['\x22,\s]+-int['\x22,\s]+0|launchctl['\x22,\s]+unload[^;]*(?:crowdstrike|falcon|sentinel|jamf|carbonblack|defender)|\bunset\s+histfile\b|\bhistory\s+-c\b|\bauditctl\s+-e\s*0|systemctl\s+(?:stop|disable|mask)\s+(?:-\S+\s+)*(?:auditd|clamav|falcon|crowdstrike|sentinel|osquery|wazuh|mdatp)",
);
static QUARANTINE: Pattern = Pattern::new(
    r"xattr\s+-\w*[cd]\w*\s+(?:\S*com\.apple\.quarantine|\S+\.(?:app|command|pkg|dmg))",
);
static CHECKS: Pattern = Pattern::new(
    r"stricthostkeychecking[\s=]+no\b|git\s+config\b[^;|]*http\.sslverify\s+false|node_tls_reject_unauthorized\s*=\s*['\x22]?0|npm\s+config\s+set\s+strict-ssl\s+false|userknownhostsfile[\s=]+/dev/null",
);
static MILD: Pattern = Pattern::new(
    r"verify\s*=\s*false|\bcurl\b[^|;]*\s(?:-k\b|--insecure)|rejectunauthorized\s*:\s*false|executionpolicy\s+bypass",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if !(ctx.is_executed() || ctx.is_prose()) {
        return;
    }
    let (range, severity, message) = if let Some(range) = GRAVE.find(text) {
        (
            range,
            Severity::Critical,
            "a guard of the system is switched off",
        )
    } else if let Some(range) = QUARANTINE.find(text) {
        (
            range,
            Severity::Medium,
            "the mark of downloaded files is removed",
        )
    } else if let Some(range) = CHECKS.find(text) {
        (
            range,
            Severity::Low,
            "checks of hosts or certificates are switched off",
        )
    } else if let Some(range) = MILD.find(text) {
        (
            range,
            Severity::Info,
            "a check is switched off for one call",
        )
    } else {
        return;
    };
    let severity = if ctx.is_code() {
        severity
    } else {
        severity.lowered(1)
    };
    findings.add(&RULE, ctx, range, severity, message);
}
