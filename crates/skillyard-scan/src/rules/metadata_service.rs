//! The keys of the machine in the cloud.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// The metadata service of a cloud machine is asked.
    ///
    /// It hands out the machine's own credentials to every program inside. Scripts of
    /// skills have no use for them.
    ///
    /// **Fix:** use the credentials that the user configured.
    "scan-metadata-service", High,
    "use the credentials that the user configured",
    keywords: &["169.254.169.254", "metadata.google.internal", "169.254.170.2", "100.100.100.200", "fd00:ec2", "2852039166", "0xa9fea9fe", "a9fe:a9fe", "0251.0376", "kubernetes.default"],
    check
}

static SERVICE: Pattern = Pattern::new(
    r"169\.254\.169\.254|metadata\.google\.internal|169\.254\.170\.2|100\.100\.100\.200|fd00:ec2::254|\b2852039166\b|0xa9fea9fe|a9fe:a9fe|0251\.0376\.|kubernetes\.default(?:\.svc)?[^\s]*/secrets",
);
static KEYS: Pattern = Pattern::new(
    r"security-credentials|/token\b|identity|user-data|/iam/|service-accounts|managedidentity|/secrets\b|2852039166|0xa9fea9fe|a9fe:a9fe|0251\.|container_credentials|169\.254\.170\.2",
);

static ASKS: Pattern =
    Pattern::new(r"\b(?:request|fetch|open|get|curl|visit|load|read)\s+(?:\w+\s+){0,2}https?://");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = SERVICE.find(ctx.text) {
        let severity = match (ctx.is_executed(), KEYS.is_match(ctx.text)) {
            (true, true) => Severity::High,
            (true, false) => Severity::Medium,
            (false, true) if ctx.is_prose() && ASKS.is_match(ctx.text) => Severity::High,
            (false, _) => Severity::Low,
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity.even_quoted(),
            "the metadata service of the machine is asked",
        );
    }
}
