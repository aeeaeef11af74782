//! What the scanner says about a skill, from the files that are there now.

use serde::Serialize;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{BinaryContent, Content, ReadLimits, ReadRange};
use skillyard_trust::scan::{self, scan};
use utoipa::ToSchema;

use crate::contents::{Contents, ContentsError};

/// How many bytes of a skill are looked at.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Something that the scanner found.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Finding {
    /// The rule; `skillyard explain CODE` says more.
    pub(crate) code: String,
    /// `critical`, `high`, `medium`, `low` or `info`.
    pub(crate) severity: String,
    /// The file.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// What was found.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: String,
}

/// Scans a skill, the worst findings first.
pub(crate) fn inspect(skill: &CatalogSkill) -> Result<Vec<Finding>, ContentsError> {
    let contents = Contents::open(skill)?;
    let limits = ReadLimits {
        max_bytes: MOST_BYTES,
        nested: true,
        binary: BinaryContent::Include,
        ..ReadLimits::default()
    };
    let mut files = Vec::new();
    let mut left = MOST_BYTES;
    for file in contents.list(None)?.files {
        // What cannot be read is shown in the list of files.
        let Ok(read) = contents.read(&file.path, ReadRange::default(), limits) else {
            continue;
        };
        let bytes = match read.content {
            Content::Text(text) => text.into_bytes(),
            Content::Binary { bytes, .. } => bytes.unwrap_or_default(),
        };
        left = left.saturating_sub(bytes.len() as u64);
        files.push((file, bytes));
        if left == 0 {
            break;
        }
    }
    let borrowed: Vec<scan::File<'_>> = files
        .iter()
        .map(|(file, bytes)| scan::File {
            path: &file.path,
            bytes,
            executable: file.executable,
        })
        .collect();
    let findings = scan(&borrowed).findings.into_iter();
    Ok(findings
        .map(|finding| Finding {
            code: finding.code.to_owned(),
            severity: finding.severity.name().to_owned(),
            path: finding.path,
            line: finding.line,
            message: finding.message,
            help: finding.help.to_owned(),
        })
        .collect())
}
