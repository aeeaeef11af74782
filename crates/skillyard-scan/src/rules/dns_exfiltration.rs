//! Data that leaves as names.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// Data is sent out inside the name of a host that is looked up.
    ///
    /// Name servers are reachable where nothing else is, and the owner of the domain reads
    /// every name that is asked for.
    ///
    /// **Fix:** do not run it.
    "scan-dns-exfiltration", Critical,
    "do not run it: whoever owns the domain reads what is looked up",
    keywords: &["dig ", "nslookup", "host ", "gethostbyname", "dns.resolve", "resolver.resolve", "getaddrinfo", "ping ", "dig'", "dig\"", "host'", "host\"", "ping'", "ping\""],
    check
}

static LOOKUP: Pattern = Pattern::new(
    r#"\b(?:(?:dig|host|ping)[\s"']|nslookup\b)[^;|]{0,80}(?:\$\([^)]*\)|\$\{?(?:\w*(?:data|secret|token|key|enc\w*|payload|b64|hex|chunk)\w*)\}?|\{\w*(?:data|secret|token|key|enc\w*|payload|b64|hex|chunk)\w*\})["']?\.[a-z0-9.-]+\.[a-z]{2,}|
    (?:gethostbyname|getaddrinfo|dns\.resolve\w*|resolver\.resolve)\s*\(\s*f?["'\x60]?[^)]*(?:\{|\$\{|\+\s*)?\w*(?:data|secret|token|encoded|payload|chunk|b64|hex)\w*[^)]*\."#,
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = LOOKUP.find(ctx.text).filter(|_| ctx.is_executed()) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Critical,
            "data is put into the name of a host",
        );
    }
}
