//! Hosts that look like others.

use std::ops::Range;

use skillyard_format::Span;

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::look_alikes::look_alike;

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

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let mut add = |span| {
            let message = "the host is not the one that is read";
            findings.add_span(&RULE, index, Some(span), Severity::High, message);
        };
        if !file.source.is_ascii() || file.folded.text.contains("//xn--") {
            strange_hosts(&file.source).for_each(|range| add(Span::new(range.start, range.end)));
        }
        for field in &file.fields {
            strange_hosts(&field.text).for_each(|range| add(field.span(&file.source, range)));
        }
    }
}

/// Where the hosts stand that are spelled with letters of several alphabets, or in code.
fn strange_hosts(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("://").filter_map(|(at, mark)| {
        let start = at + mark.len();
        let rest = &text[start..];
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let host = &rest[..length];
        let is_strange = host.split('.').any(is_mixed) || host.starts_with("xn--");
        is_strange.then_some(start..start + length)
    })
}

/// Whether a label has letters of ASCII and letters that look like them.
fn is_mixed(label: &str) -> bool {
    let looks = |c: char| look_alike(c).is_some_and(|plain| plain.is_ascii_alphabetic());
    label.chars().any(looks) && label.chars().any(|c| c.is_ascii_alphabetic())
}
