//! The result as the reference validator prints it.

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Checked;
use crate::printer::Printer;
use crate::sanitize::visible;

/// One block a skill.
pub(crate) fn print(printer: &Printer, checked: &[Checked]) -> io::Result<()> {
    let mut valid = String::new();
    let mut invalid = String::new();
    for skill in checked {
        let path = normalised(&skill.folder);
        if skill.is_valid() {
            push(&mut valid, ["Valid skill: ", &path, "\n"]);
            continue;
        }
        push(&mut invalid, ["Validation failed for ", &path, ":\n"]);
        for diagnostic in &skill.diagnostics {
            push(&mut invalid, ["  - ", &visible(&diagnostic.message), "\n"]);
        }
    }
    printer.data(&valid)?;
    if !invalid.is_empty() {
        invalid.truncate(invalid.trim_end_matches('\n').len());
        invalid.push('\n');
        printer.people_lines(&invalid);
    }
    Ok(())
}

/// Appends a line in pieces: formatting each costs as much as all the rest of a report.
fn push(text: &mut String, line: [&str; 3]) {
    for piece in line {
        text.push_str(piece);
    }
}

/// The path as Python's `pathlib` writes it: without `.` parts and needless slashes.
fn normalised(path: &Path) -> Cow<'_, str> {
    // Only a dot or a slash behind a slash, or at an end, can be needless.
    if let Some(text) = path.to_str()
        && !text.starts_with('.')
        && !text.ends_with(['/', '.'])
        && !text
            .as_bytes()
            .windows(2)
            .any(|two| matches!(two, b"//" | b"/."))
    {
        return visible(text);
    }
    let mut normalised: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    if normalised.as_os_str().is_empty() {
        normalised.push(".");
    }
    Cow::Owned(visible(&normalised.to_string_lossy()).into_owned())
}
