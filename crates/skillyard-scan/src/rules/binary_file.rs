//! Unreadable programs.

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::file::is_program;

rule! {
    /// A file is a program in machine code, or not what its name says.
    ///
    /// It cannot be reviewed. Compiled Python without its source, archives with a password
    /// and programs behind the name of a picture are hidden on purpose.
    ///
    /// **Fix:** put the source into the skill, or name the package that holds the program.
    "scan-binary-file", Critical,
    "put the source into the skill, or name the package that holds the program",
    skill: check
}

/// The sign that all virus scanners agree to find.
const TEST_SIGN: &[u8] = b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE";

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let name = file.name().to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let found = match file.bytes {
            bytes if is_program(bytes) && is_harmless_name(extension) => Some((
                Severity::Critical,
                "a program hides behind the name of another kind of file",
            )),
            bytes if is_program(bytes) => {
                Some((Severity::Medium, "the file is a program in machine code"))
            }
            bytes
                if memchr::memmem::find(&bytes[..bytes.len().min(4_096)], TEST_SIGN).is_some()
                    && !file.is_document =>
            {
                Some((
                    Severity::Critical,
                    "the file is what virus scanners are tested with",
                ))
            }
            bytes if is_locked_zip(bytes) => {
                Some((Severity::High, "the archive is locked with a password"))
            }
            _ if extension == "pyc" && !has_source(skill, file.path) => {
                Some((Severity::Medium, "compiled Python comes without its source"))
            }
            _ if matches!(
                extension,
                "zip" | "rar" | "7z" | "tgz" | "jar" | "whl" | "gz"
            ) =>
            {
                Some((Severity::Info, "an archive is part of the skill"))
            }
            _ => None,
        };
        if let Some((severity, message)) = found {
            findings.add_span(&RULE, index, None, severity, message);
        }
    }
}

fn is_harmless_name(extension: &str) -> bool {
    matches!(
        extension,
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "pdf"
            | "txt"
            | "md"
            | "json"
            | "csv"
            | "docx"
            | "xlsx"
            | "svg"
            | "ttf"
            | "yaml"
            | "yml"
    )
}

/// Whether the first entry of a zip archive has the bit of encryption.
fn is_locked_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") && bytes.get(6).is_some_and(|flags| flags & 1 == 1)
}

fn has_source(skill: &PreparedSkill<'_>, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let source = format!("{stem}.py");
    skill.files.iter().any(|file| file.name() == source)
}
