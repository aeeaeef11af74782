//! Names that deceive.

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::look_alikes::is_invisible;

rule! {
    /// The name of a file deceives about what it is.
    ///
    /// Two extensions (`invoice.pdf.exe`), invisible characters, and programs of
    /// Windows that scripts have no use for are made to be opened by mistake.
    ///
    /// **Fix:** call it what it is, or remove it.
    "scan-file-name", Critical,
    "call it what it is, or remove it",
    skill: check
}

const PROGRAM_ENDINGS: &[&str] = &[
    "exe", "scr", "com", "bat", "cmd", "msi", "vbs", "js", "jar", "ps1", "lnk", "hta", "sh",
    "command", "pif",
];
const DOCUMENT_ENDINGS: &[&str] = &[
    "pdf", "doc", "docx", "xls", "xlsx", "jpg", "jpeg", "png", "txt", "csv", "zip", "mp3", "mp4",
    "gif",
];
const OPENED_ENDINGS: &[&str] = &["scr", "lnk", "hta", "pif", "vbs", "jse", "wsf", "cpl"];

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let name = file.name().to_ascii_lowercase();
        let parts: Vec<&str> = name.rsplit('.').collect();
        let found = match parts.as_slice() {
            _ if name.chars().any(is_invisible) => Some((
                Severity::Critical,
                "the name of the file holds characters that nobody sees",
            )),
            [last, before, _, ..]
                if PROGRAM_ENDINGS.contains(last) && DOCUMENT_ENDINGS.contains(before) =>
            {
                Some((Severity::High, "a program is called like a document"))
            }
            [last, _, ..] if OPENED_ENDINGS.contains(last) => Some((
                Severity::High,
                "the file is of a kind that is made to be opened by mistake",
            )),
            _ => None,
        };
        if let Some((severity, message)) = found {
            findings.add_span(&RULE, index, None, severity, message);
        }
    }
}
