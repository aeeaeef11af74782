//! Doors into the machine.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// The machine is made reachable from outside, or a guard of a service is taken away.
    ///
    /// Tunnels, remote debugging, services without a password that listen to everyone, and
    /// new accounts with all rights let others in while the user works.
    ///
    /// **Fix:** listen on this machine only, and keep the password.
    "scan-open-door", High,
    "listen on this machine only, and keep the password",
    keywords: &["ssh ", "ngrok", "cloudflared", "remote-debugging", "0.0.0.0:2375", "chisel", "app.token", "disable-web-security", "net user", "useradd", "usermod", "net localgroup", "frpc", "bore ", "reverse_tunnel", "protected-mode", "actions-runner", "self-hosted", "permitrootlogin", "fdenytsconnections", "dscl", "http.server", "$_request", "$_get", "$_post", "$_cookie", "request.form", "request.values", "request.json", "req.params", "request.args", "req.query", "req.body", "params[", "config.sh"],
    check
}

static GRAVE: Pattern = Pattern::new(
    r#"\bssh\s+(?:-\w+\s+)*-\w*r\s+[\d*:.\[\]]+:[\w.]+:\d+|tcp://0\.0\.0\.0:2375|\bnet\s+user\s+\S+\s+\S+\s+/add|\bnet\s+localgroup\s+administrators\s+\S+\s+/add|\busermod\s+(?:-\w+\s+)*-a?g\w*\s+(?:sudo|wheel|root|docker)\b[^;|]*\bbackdoor|
    \buseradd\b[^;|]*-o\b[^;|]*-u\s*0\b|permitrootlogin\s+yes|fdenytsconnections[^;|]*\b0\b|\bdscl\s+\.\s+-append\s+/groups/admin|protected-mode\s+no|http\.server\b[^;|]*(?:--directory|-d)[\s=]+["']?(?:\$\{?home\}?|~|/)/?["']?(?:\s|$|&|;)|\b(?:system|exec|shell_exec|passthru|eval|popen|execsync|check_output|run)\s*\(\s*(?:\$_(?:request|get|post|cookie)\b|request\.(?:args|form|values|json)\b|req\.(?:query|body|params)\b|params\[)|(?:notebook|server)app\.token\s*=\s*['"]{2}"#,
);
static MILD: Pattern = Pattern::new(
    r"\bngrok\s+(?:http|tcp)\b|\bcloudflared\s+tunnel\s+(?:--url|run)|--remote-debugging-(?:port|address)|--disable-web-security|\bchisel\s+(?:client|server)|\bfrpc\s+-c|\bbore\s+local|config\.sh\s+--url\s+https?://github\.com/\S+[^;|]*--token",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() {
        return;
    }
    if let Some(range) = GRAVE.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "the machine is opened to others",
        );
    } else if let Some(range) = MILD.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Low,
            "the machine can be reached from outside",
        );
    }
}
