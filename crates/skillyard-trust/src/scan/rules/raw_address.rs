//! Servers without a name.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::hosts;

rule! {
    /// A server is named by its number.
    ///
    /// Services that mean to stay have a name and a certificate. A bare public address is
    /// rented for a day, and nothing says whose it is.
    ///
    /// **Fix:** use the name of the service.
    "scan-raw-address", High,
    "use the name of the service, over https",
    words: &["http://", "https://"],
    check
}

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let Some(range) = hosts::raw_address(here.text) else {
        return;
    };
    // `sdk.1.2.3.4` in a document is more often a version or an example than a server.
    let severity = if here.is_shell() && here.runs() || here.runs() && !here.file.is_document {
        Severity::High
    } else {
        Severity::Low
    };
    findings.add_named(&RULE, here, range, severity, "a server is named by its number");
}
