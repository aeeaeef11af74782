//! Traffic led elsewhere.

use super::{Findings, Here};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// The machine's names, routes, proxies or certificates are changed.
    ///
    /// Whoever answers for a name or signs for it reads and changes everything that is sent
    /// there, passwords included.
    ///
    /// **Fix:** configure the one program that needs it.
    "scan-network-tampering", High,
    "configure the one program that needs it, not the machine",
    words: &["/etc/hosts", "iptables", "resolv.conf", "add-trusted-cert", "update-ca-certificates", "networksetup", "pfctl", "netsh", "ufw disable", "ufw", "firewalld", "firewall", "nft ", "http_proxy", "etc\\hosts"],
    check
}

static CHANGE: Pattern = Pattern::new(
    r#"(?:>>?|tee\s+(?:-a\s+)?|sed\s+-i[^;|]*|open\s*\(\s*['"])\s*["']?/etc/(?:hosts|resolv\.conf)\b|\biptables\b[^;|]*(?:-j\s+(?:redirect|dnat)|-t\s+nat[^;|]*-a\b)|\biptables\s+-f\b|
    security\s+add-trusted-cert|\bnetworksetup\s+-set(?:web|secureweb|socks|dns)|\bnetsh\b[^;|]*(?:portproxy|advfirewall\s+set[^;|]*off|winhttp\s+set)|\bpfctl\s+-(?:f|e|d)\b"#,
);
static WEAKER: Pattern = Pattern::new(
    r"\bufw\s+disable\b|systemctl\s+(?:stop|disable)\s+(?:firewalld|ufw)|set-netfirewallprofile\b[^;|]*false|\bupdate-ca-certificates\b",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    if !here.runs() {
        return;
    }
    if let Some(range) = CHANGE.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::High,
            "the machine's traffic is led elsewhere",
        );
    } else if let Some(range) = WEAKER.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Low,
            "the machine's firewall or certificates are changed",
        );
    }
}
