//! The result as workflow commands, which GitHub Actions shows beside the changed lines.

use std::fmt::Write as _;

use skillyard_format::LineIndex;

use super::{Loudness, Noted, for_people};
use crate::sanitize::visible;

/// One command a finding.
pub(crate) fn commands(skills: &[impl Noted]) -> String {
    let mut text = String::new();
    for file in skills.iter().flat_map(Noted::files) {
        let lines = LineIndex::new(file.text);
        for note in &file.notes {
            let level = match note.loudness {
                Loudness::Error => "error",
                Loudness::Warning => "warning",
                Loudness::Note => "notice",
            };
            let place = note.span.map_or_else(String::new, |span| {
                let start = lines.position(span.start);
                format!(",line={},col={}", start.line, start.column)
            });
            let mut message = for_people(note.message);
            if let Some(help) = note.help {
                let _ = write!(message, "\nhelp: {}", for_people(help));
            }
            let _ = writeln!(
                text,
                "::{level} file={}{place},title={}::{}",
                property(&file.path),
                property(note.code),
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
