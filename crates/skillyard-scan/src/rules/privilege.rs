//! More rights than the user's own.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// More rights are taken than the user has, or given to everyone.
    ///
    /// `sudo` alone is common in instructions to install something, and low. Bits that make
    /// a program run as root, rules that let sudo pass without a password, files that anyone
    /// may write, and containers that own the machine are not.
    ///
    /// **Fix:** do without, or let the user run that one command.
    "scan-privilege", High,
    "do without, or let the user run that one command",
    keywords: &["sudo", "chmod", "setuid", "setcap", "nopasswd", "docker.sock", "--privileged", "--cap-add", "--pid", "/:/", "runas", "chown", "sudoers", "cap_sys_admin", "pkexec", "doas"],
    check
}

static GRAVE: Pattern = Pattern::new(
    r"\bchmod\s+(?:-\w+\s+)*(?:u\+s|\+s|[ug]+\+s|[2467][0-7]{3})\b|\bsetcap\s+\S*cap_(?:setuid|sys_admin|dac_override)|\bnopasswd\s*:|(?:>>?|tee)\s*(?:-a\s+)?/etc/sudoers",
);
static OPEN: Pattern = Pattern::new(r"\bchmod\s+(?:-\w+\s+)*0?777\b|\bos\.chmod\s*\([^)]*0o777");
static MACHINE: Pattern = Pattern::new(
    r"/var/run/docker\.sock|--privileged\b|--cap-add[\s=]+(?:all|sys_admin)|--pid[\s=]host|-v\s+/:/\w*",
);
static ROOT: Pattern = Pattern::new(
    r"(?:^|[\s;&|('\x22])sudo\s+\S|\bchown\s+(?:-\w+\s+)*root\b|\brunas\b\s*/user|start-process\b[^;]*-verb\s+runas",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() && !ctx.is_prose() {
        return;
    }
    let text = ctx.text;
    let both = OPEN.is_match(text) && ROOT.is_match(text);
    let (range, severity, message) = if let Some(range) = GRAVE.find(text) {
        (range, Severity::High, "a program gets the rights of root")
    } else if let Some(range) = OPEN.find(text) {
        let orders = !ctx.is_code() && (text.contains("after ") || text.contains("always"));
        let severity = match (both || ctx.is_shell(), orders) {
            (_, true) => Severity::High,
            (true, false) => Severity::Medium,
            (false, false) => Severity::Low,
        };
        (range, severity, "everyone may write this")
    } else if let Some(range) = MACHINE.find(text) {
        let root = text.contains("-v /:");
        let mounts = text.contains("docker.sock:") || root;
        // Who only measures the machine mounts it so that nothing can be written.
        let owns = root && !text.contains(":ro") && !ctx.file.is_document;
        let severity = if ctx.has(crate::facts::Fact::SecretVariable)
            || (ctx.is_shell() && (owns || (mounts && ctx.file.is_skill_file())))
        {
            Severity::High
        } else {
            Severity::Low
        };
        (range, severity, "a container gets hold of the machine")
    } else if let Some(range) = ROOT.find(text) {
        (range, Severity::Info, "a command runs as root")
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
