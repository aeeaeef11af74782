//! Reverse shells.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A shell is connected to another machine.
    ///
    /// The listener can do whatever the user can.
    ///
    /// **Fix:** do not run it.
    "scan-reverse-shell", Critical,
    "do not run it: whoever listens there can do whatever the user can",
    keywords: &["/dev/tcp", "/dev/udp", "nc ", "nc.exe", "ncat", "netcat", "socat", "dup2", "mkfifo", "pty.spawn", "tcpclient", "tcpsocket", "meterpreter", "msfvenom", "bash -i", "sh -i", "net.socket", "net.connect", "net.dial", "fsockopen", "create_connection", "socket.socket", "s_client", "createconnection", "tcp()", "pf_inet", "telnet ", "mknod", "sockaddr_in", "socket", "nc|", "nc |"],
    check
}

static SHELL: Pattern = Pattern::new(
    r#"/dev/(?:tcp|udp)/[\w.$\{\}-]+/[\w$\{\}]+|\b(?:nc|ncat|netcat)\b(?:\.exe)?\s+(?:\S+\s+){0,6}-\w*[ec]\s*(?:/bin/|cmd|powershell|['"]?(?:ba|z)?sh)|
    \b(?:nc|ncat|netcat)\b[^|;]*\|\s*(?:/bin/)?(?:ba|z)?sh\b|\bsocat\b[^;]*exec\s*:|mkfifo\b[^\n]{0,80}(?:nc|ncat|openssl|telnet)\b|
    \bos\.dup2\s*\(\s*\w+\.fileno\(\)|pty\.spawn\s*\(\s*['"](?:/bin/)?(?:ba|z)?sh|net\.sockets?\.tcpclient\b[^;]{0,200}|
    \b(?:ba|z)?sh\s+-i\s*(?:>&|>|2>&1|<)|\bmeterpreter\b|\bmsfvenom\b|
    (?:net\.(?:socket|connect)|new\s+net\.socket)[^;]{0,300}(?:spawn|exec)[^;]{0,60}(?:sh|cmd)"#,
);

static CONNECTS: Pattern = Pattern::new(
    r"\bnet\.(?:connect|socket|createconnection|dial)|fsockopen|tcpsocket|tcpclient|socket\.(?:socket|create_connection)|sockaddr_in",
);
static PROGRAM: Pattern = Pattern::new(
    r#"(?:spawn|exec|execfile|proc_open|popen|exec\.command|process\.start)\w*\s*\(\s*['"](?:/bin/)?(?:(?:ba|z)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?)(?:\s+-i)?['"]"#,
);
static PLUMBS: Pattern = Pattern::new(
    r"\.pipe\s*\(|\.stdin|stdin\s*=|proc_open|=>\s*\$|redirectstandard|open\s*\(\s*std(?:in|out)",
);
/// A whole remote shell in one statement of any language.
static LINE: Pattern = Pattern::new(
    r"(?:tcpsocket|fsockopen|\bsocket\b|\.tcp\(\))[^\n]{0,200}(?:connect|\.new|sockaddr_in)[^\n]{0,300}(?:popen|exec\s*\(|system\s*\(|proc_open|spawn)|\btelnet\s+\S+\s+\d+[^;]{0,60}\|\s*(?:/bin/)?(?:ba|z)?sh\b|\bmknod\s+\S+\s+p\b[^\n]{0,80}\b(?:nc|telnet|openssl)\b",
);
static STREAM: Pattern = Pattern::new(r"(?:ba|z)?sh\s+-i\b[^;]{0,60}\bopenssl\s+s_client");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let found = SHELL
        .find(ctx.text)
        .or_else(|| STREAM.find(ctx.text))
        .or_else(|| {
            LINE.find(ctx.text)
                .filter(|_| ctx.is_executed() && ctx.text.len() < 800)
        });
    let Some(range) = found.or_else(|| plumbed(ctx)) else {
        return;
    };
    // `/dev/tcp` is also how shells without `nc` see whether a port is open.
    let found = &ctx.text[range.clone()];
    let is_probe = found.starts_with("/dev/")
        && (found.contains("localhost")
            || found.contains("127.0.0.1")
            || ctx.text.contains("timeout"))
        && !ctx.text.contains(" -i");
    let severity = match (is_probe, ctx.is_executed()) {
        (true, _) => Severity::Low,
        (false, true) => Severity::Critical,
        // What stands in a line of the instructions is to be typed.
        (false, false) if ctx.unit.kind == UnitKind::Prose && ctx.file.is_skill_file() => {
            Severity::High
        }
        (false, false) => Severity::Medium,
    };
    findings.add(
        &RULE,
        ctx,
        range,
        severity,
        "a shell is connected to another machine",
    );
}

/// A connection whose other end is the input and output of a shell, a few lines apart.
fn plumbed(ctx: &UnitContext<'_>) -> Option<std::ops::Range<usize>> {
    let connects = CONNECTS.find(ctx.text).filter(|_| ctx.is_executed())?;
    let around = |pattern: &Pattern| ctx.surrounding_texts(5).any(|text| pattern.is_match(text));
    (around(&PROGRAM) && around(&PLUMBS)).then_some(connects)
}
