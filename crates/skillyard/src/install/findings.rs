//! What the scanner found in skills that are installed all the same.

use skillyard_scan::{Finding, Severity};

use super::check::{Checked, described};
use crate::context::Context;
use crate::text::sanitize::visible;

/// Most warnings.
const MAX_FINDINGS: usize = 20;

/// Tells what the scanner found in skills that nobody is asked about: what a person should look at
/// to everybody, the rest to who wants details.
pub(crate) fn tell<'a>(context: &Context, checked: impl Iterator<Item = &'a Checked<'a>>) {
    let printer = &context.printer;
    let mut warned = 0;
    for each in checked {
        for finding in each.findings() {
            let text = line(each, finding);
            if finding.severity < Severity::Medium {
                printer.detail(&text);
                continue;
            }
            warned += 1;
            if warned <= MAX_FINDINGS {
                printer.note(&format!("warning: {text}"));
            } else {
                printer.detail(&text);
            }
        }
    }
    if warned > MAX_FINDINGS && !printer.is_verbose() {
        let more = warned - MAX_FINDINGS;
        printer.note(&format!("warning: … and {more} more, which `-v` lists"));
    }
}

/// What was found, in which skill.
pub(super) fn line(checked: &Checked<'_>, finding: &Finding) -> String {
    let text = format!("{}: {}", checked.candidate.name, described(finding));
    visible(&text).into_owned()
}
