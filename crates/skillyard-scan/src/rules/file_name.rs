//! Names that deceive.

use super::{Findings, Subject};
use crate::Severity;
use crate::glyphs::is_invisible;

rule! {
    /// The name of a file deceives about what it is.
    ///
    /// Two extensions (`invoice.pdf.exe`), characters that nobody sees, and programs of
    /// Windows that scripts have no use for are made to be opened by mistake.
    ///
    /// **Fix:** call it what it is, or remove it.
    "scan-file-name", Critical,
    "call it what it is, or remove it",
    skill: check
}

const PROGRAMS: &[&str] = &[
    "exe", "scr", "com", "bat", "cmd", "msi", "vbs", "js", "jar", "ps1", "lnk", "hta", "sh",
    "command", "pif",
];
const DOCUMENTS: &[&str] = &[
    "pdf", "doc", "docx", "xls", "xlsx", "jpg", "jpeg", "png", "txt", "csv", "zip", "mp3", "mp4",
    "gif",
];
const OPENED: &[&str] = &["scr", "lnk", "hta", "pif", "vbs", "jse", "wsf", "cpl"];

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for (index, file) in subject.files.iter().enumerate() {
        let name = file.name().to_ascii_lowercase();
        let parts: Vec<&str> = name.rsplit('.').collect();
        let found = match parts.as_slice() {
            _ if name.chars().any(is_invisible) => Some((
                Severity::Critical,
                "the name of the file holds characters that nobody sees",
            )),
            [last, before, _, ..] if PROGRAMS.contains(last) && DOCUMENTS.contains(before) => {
                Some((Severity::High, "a program is called like a document"))
            }
            [last, _, ..] if OPENED.contains(last) => Some((
                Severity::High,
                "the file is of a kind that is made to be opened by mistake",
            )),
            _ => None,
        };
        if let Some((severity, message)) = found {
            findings.add_source(&RULE, index, None, severity, message);
        }
    }
}
