//! The result as workflow commands, which GitHub Actions shows beside the changed lines.

use std::fmt::Write as _;

use skillyard_format::{LineIndex, Severity};

use super::{Checked, for_people};
use crate::sanitize::visible;

/// One command a finding.
pub(crate) fn commands(checked: &[Checked]) -> String {
    let mut text = String::new();
    for skill in checked {
        let lines = LineIndex::new(&skill.text);
        for diagnostic in &skill.diagnostics {
            let level = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let place = diagnostic.span.map_or_else(String::new, |span| {
                let start = lines.position(span.start);
                format!(",line={},col={}", start.line, start.column)
            });
            let mut message = for_people(&diagnostic.message);
            if let Some(help) = &diagnostic.help {
                let _ = write!(message, "\nhelp: {}", for_people(help));
            }
            let _ = writeln!(
                text,
                "::{level} file={}{place},title={}::{}",
                property(&skill.path.to_string_lossy()),
                property(diagnostic.code),
                data(&message),
            );
        }
    }
    text
}

/// Text of a command, which ends at a line break.
fn data(text: &str) -> String {
    visible(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property, which ends at a comma or colon too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
