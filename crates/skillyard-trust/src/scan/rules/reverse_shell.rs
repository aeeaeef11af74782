//! Shells for somebody else.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::pattern::Pattern;

rule! {
    /// A shell is connected to another machine.
    ///
    /// Whoever listens there can do whatever the user can.
    ///
    /// **Fix:** do not run it.
    "scan-reverse-shell", Critical,
    "do not run it: whoever listens there can do whatever the user can",
    words: &["/dev/tcp", "/dev/udp", "nc ", "ncat", "netcat", "socat", "dup2", "mkfifo", "pty.spawn", "tcpclient", "tcpsocket", "meterpreter", "msfvenom", "bash -i", "sh -i", "net.socket", "net.connect"],
    check
}

static SHELL: Pattern = Pattern::new(
    r#"/dev/(?:tcp|udp)/[\w.$\{\}-]+/[\w$\{\}]+|\b(?:nc|ncat|netcat)\b(?:\.exe)?\s+(?:\S+\s+){0,6}-\w*[ec]\s*(?:/bin/|cmd|powershell|['"]?(?:ba|z)?sh)|
    \b(?:nc|ncat|netcat)\b[^|;]*\|\s*(?:/bin/)?(?:ba|z)?sh\b|\bsocat\b[^;]*exec\s*:|mkfifo\b[^\n]{0,80}(?:nc|ncat|openssl|telnet)\b|
    \bos\.dup2\s*\(\s*\w+\.fileno\(\)|pty\.spawn\s*\(\s*['"](?:/bin/)?(?:ba|z)?sh|net\.sockets?\.tcpclient\b[^;]{0,200}|
    (?:ba|z)?sh\s+-i\s*(?:>&|>|2>&1|<)|\bmeterpreter\b|\bmsfvenom\b|
    (?:net\.(?:socket|connect)|new\s+net\.socket)[^;]{0,300}(?:spawn|exec)[^;]{0,60}(?:sh|cmd)"#,
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let Some(range) = SHELL.find(here.text) else {
        return;
    };
    // `/dev/tcp` is also how shells without `nc` see whether a port is open.
    let found = &here.text[range.clone()];
    let is_probe = found.starts_with("/dev/")
        && (found.contains("localhost")
            || found.contains("127.0.0.1")
            || here.text.contains("timeout"))
        && !here.text.contains(" -i");
    let severity = match (is_probe, here.runs()) {
        (true, _) => Severity::Low,
        (false, true) => Severity::Critical,
        (false, false) => Severity::Medium,
    };
    findings.add(
        &RULE,
        here,
        range,
        severity,
        "a shell is connected to another machine",
    );
}
