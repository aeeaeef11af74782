//! Servers without a name.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::hosts;
use crate::scan::pattern::Pattern;

rule! {
    /// A server is named by its number.
    ///
    /// Services that mean to stay have a name and a certificate. A bare public address is
    /// rented for a day, and nothing says whose it is.
    ///
    /// **Fix:** use the name of the service.
    "scan-raw-address", High,
    "use the name of the service, over https",
    words: &["http://", "https://", "hxxp", "[.]", "(dot)", "[:]//", "h**p"],
    check
}

/// An address that was made harmless to look at, which an agent puts right.
static DEFANGED: Pattern =
    Pattern::new(r"\bhxxps?\b|\bh\*\*ps?://|[a-z0-9]\[\.\][a-z]|[a-z0-9]\(dot\)[a-z]|\[:\]//");

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let Some(range) = hosts::raw_address(here.text) else {
        if let Some(range) = DEFANGED.find(here.text) {
            findings.add(
                &RULE,
                here,
                range,
                Severity::High.named(),
                "an address is spelled so that only a reader puts it together",
            );
        }
        return;
    };
    // `sdk.1.2.3.4` in a document is more often a version or an example than a server.
    let severity = if here.is_shell() && here.runs() || here.runs() && !here.file.is_document {
        Severity::High
    } else {
        Severity::Low
    };
    findings.add(
        &RULE,
        here,
        range,
        severity.named(),
        "a server is named by its number",
    );
}
