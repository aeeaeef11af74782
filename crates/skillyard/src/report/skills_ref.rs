//! The result as the reference validator prints it.

use std::io;
use std::path::Path;

use super::Checked;
use crate::printer::Printer;
use crate::sanitize::visible;

/// One block a skill.
pub(crate) fn print(printer: &Printer, checked: &[Checked]) -> io::Result<()> {
    for skill in checked {
        let path = normalised(&skill.folder);
        if skill.is_valid() {
            printer.data(&format!("Valid skill: {path}\n"))?;
            continue;
        }
        let mut text = format!("Validation failed for {path}:");
        for diagnostic in &skill.diagnostics {
            text.push_str("\n  - ");
            text.push_str(&visible(&diagnostic.message));
        }
        printer.people(&text);
    }
    Ok(())
}

/// The path as Python's `pathlib` writes it.
fn normalised(path: &Path) -> String {
    let path: std::path::PathBuf = path.components().collect();
    visible(&path.to_string_lossy()).into_owned()
}
