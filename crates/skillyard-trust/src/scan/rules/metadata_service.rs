//! The keys of the machine in the cloud.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::pattern::Pattern;

rule! {
    /// The metadata service of a cloud machine is asked.
    ///
    /// It hands out the machine's own credentials to whoever asks from inside. Scripts of
    /// skills have no use for them.
    ///
    /// **Fix:** use the credentials that the user configured.
    "scan-metadata-service", High,
    "use the credentials that the user configured",
    words: &["169.254.169.254", "metadata.google.internal", "169.254.170.2", "100.100.100.200", "fd00:ec2"],
    check
}

static SERVICE: Pattern = Pattern::new(
    r"169\.254\.169\.254|metadata\.google\.internal|169\.254\.170\.2|100\.100\.100\.200|fd00:ec2::254",
);
static KEYS: Pattern = Pattern::new(
    r"security-credentials|/token\b|identity|user-data|/iam/|service-accounts|managedidentity",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = SERVICE.find(here.text) {
        let severity = match (here.runs(), KEYS.is_match(here.text)) {
            (true, true) => Severity::High,
            (true, false) => Severity::Medium,
            (false, _) => Severity::Low,
        };
        findings.add_named(
            &RULE,
            here,
            range,
            severity,
            "the metadata service of the machine is asked",
        );
    }
}
