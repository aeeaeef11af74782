//! Hosts that look like others.

use skillyard_format::Span;

use super::{Findings, Subject};
use crate::scan::Severity;
use crate::scan::glyphs::look_alike;

rule! {
    /// The name of a host mixes letters of several alphabets, or is spelled in code.
    ///
    /// `gіthub.com` with a Cyrillic letter is another host than the one that is read.
    ///
    /// **Fix:** use the host that was meant.
    "scan-look-alike-host", High,
    "use the host that was meant",
    skill: check
}

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for (index, file) in subject.files.iter().enumerate() {
        if file.source.is_ascii() && !file.folded.text.contains("//xn--") {
            continue;
        }
        for (at, _) in file.source.match_indices("://") {
            let rest = &file.source[at + 3..];
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let host = &rest[..length];
            if host.split('.').any(is_mixed) || host.starts_with("xn--") {
                let span = Span::new(at + 3, at + 3 + length);
                findings.add_source(
                    &RULE,
                    index,
                    Some(span),
                    Severity::High,
                    "the host is not the one that is read",
                );
            }
        }
    }
}

/// Whether a label has letters of ASCII and letters that look like them.
fn is_mixed(label: &str) -> bool {
    let looks = |c: char| look_alike(c).is_some_and(|plain| plain.is_ascii_alphabetic());
    label.chars().any(looks) && label.chars().any(|c| c.is_ascii_alphabetic())
}
