//! Traffic led elsewhere.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// The machine's names, routes, proxies or certificates are changed.
    ///
    /// A server that answers for a name or signs for it reads and changes everything that is sent
    /// there, passwords included.
    ///
    /// **Fix:** configure the one program that needs it.
    "scan-network-tampering", High,
    "configure the one program that needs it, not the machine",
    keywords: &["/etc/hosts", "iptables", "resolv.conf", "add-trusted-cert", "update-ca-certificates", "networksetup", "pfctl", "netsh", "ufw disable", "ufw", "firewalld", "firewall", "nft ", "http_proxy", "etc\\hosts"],
    check
}

static CHANGE: Pattern = Pattern::new(
    r#"(?:>>?|tee\s+(?:-a\s+)?|sed\s+-i[^;|]*|open\s*\(\s*['"])\s*["']?/etc/(?:hosts|resolv\.conf)\b|\biptables\b[^;|]*(?:-j\s+(?:redirect|dnat)|-t\s+nat[^;|]*-a\b)|\biptables\s+-f\b|
    security\s+add-trusted-cert|\bnetworksetup\s+-set(?:web|secureweb|socks|dns)|\bnetsh\b[^;|]*(?:portproxy|advfirewall\s+set[^;|]*off|winhttp\s+set)|\bpfctl\s+-(?:f|e|d)\b"#,
);
static WEAKER: Pattern = Pattern::new(
    r"\bufw\s+disable\b|systemctl\s+(?:stop|disable)\s+(?:firewalld|ufw)|set-netfirewallprofile\b[^;|]*false|\bupdate-ca-certificates\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() {
        return;
    }
    if let Some(range) = CHANGE.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "the machine's traffic is led elsewhere",
        );
    } else if let Some(range) = WEAKER.find(ctx.text) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Low,
            "the machine's firewall or certificates are changed",
        );
    }
}
