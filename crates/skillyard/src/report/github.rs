//! The result as workflow commands, which GitHub Actions shows beside the changed lines.

use skillyard_format::{Position, Severity};

use super::Checked;
use crate::sanitize::visible;

/// One command a finding.
pub(crate) fn commands(checked: &[Checked]) -> String {
    let mut text = String::new();
    for skill in checked {
        for diagnostic in &skill.diagnostics {
            let level = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let place = diagnostic.span.map_or_else(String::new, |span| {
                let start = Position::of(&skill.text, span.start);
                format!(",line={},col={}", start.line, start.column)
            });
            let help = diagnostic
                .help
                .as_ref()
                .map_or_else(String::new, |help| format!("\nhelp: {help}"));
            text.push_str(&format!(
                "::{level} file={}{place},title={}::{}\n",
                property(&skill.path.to_string_lossy()),
                property(diagnostic.code),
                data(&format!("{}{help}", diagnostic.message)),
            ));
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
