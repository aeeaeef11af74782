//! Null bytes in what is read as text.

use skillyard_format::Span;

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::file::{Language, has_shebang};

rule! {
    /// A script or a document holds null bytes.
    ///
    /// No editor writes them. A shell passes over them, so that `cu\0rl` is `curl`, and most
    /// programs that search or show text take the whole file for a picture and say nothing.
    ///
    /// **Fix:** remove them; put data into a file of its own.
    "scan-null-bytes", High,
    "remove them; put data into a file of its own",
    skill: check
}

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let Some((count, first)) = file.nulls else {
            continue;
        };
        let is_obeyed = match Language::of_file(file.path, &file.source) {
            Some(Language::Data | Language::Other) => false,
            Some(_) => true,
            None => file.name().contains('.'),
        };
        let severity = if is_obeyed || has_shebang(file.bytes) {
            Severity::High
        } else {
            Severity::Medium
        };
        let message = match count {
            1 => "a null byte stands in what is read as text".to_owned(),
            _ => format!("{count} null bytes stand in what is read as text"),
        };
        let line = line_at(&file.source, first);
        findings.add_span(&RULE, index, Some(line), severity, message);
    }
}

/// The line that holds byte `at`.
fn line_at(source: &str, at: usize) -> Span {
    let at = source.floor_char_boundary(at.min(source.len()));
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = source[at..].find('\n').map_or(source.len(), |end| at + end);
    Span::new(start, end)
}
