//! What the scanner says about a skill, from the files that are there now.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::Serialize;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{BinaryContent, ReadLimits, ReadRange, ResourceContent};
use skillyard_format::package::{Digest, TreeDigest};
use skillyard_scan::scan;
use utoipa::ToSchema;

use crate::contents::{Contents, ContentsError, File};

/// How many bytes of a skill are looked at.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How many findings are remembered; a skill without any counts as one.
const MAX_FINDINGS: usize = 20_000;

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

/// What came of looking at a skill.
#[derive(Debug)]
pub(crate) struct Inspection {
    /// The worst first.
    pub(crate) findings: Vec<Finding>,
    /// Whether all files were looked at; else there may be more.
    pub(crate) complete: bool,
}

/// The files that were looked at.
struct Looked {
    files: Vec<(File, Vec<u8>)>,
    complete: bool,
}

/// What was found, by the bytes that it was found in: the same files are scanned once.
#[derive(Debug, Default)]
pub(crate) struct Inspections(Mutex<KnownFindings>);

#[derive(Debug, Default)]
struct KnownFindings {
    found: HashMap<Digest, Vec<Finding>>,
    /// How many findings that are.
    count: usize,
}

impl Inspections {
    /// What the scanner finds in a skill.
    pub(crate) fn of(&self, skill: &CatalogSkill) -> Result<Inspection, ContentsError> {
        let Looked { files, complete } = read(skill)?;
        let findings = self.in_files(&files);
        Ok(Inspection { findings, complete })
    }

    fn in_files(&self, files: &[(File, Vec<u8>)]) -> Vec<Finding> {
        let digest = digest(files);
        let known = self.0.lock();
        if let Some(found) = known.found.get(&digest) {
            return found.clone();
        }
        // Others are not kept waiting by a scan.
        drop(known);
        let findings = scanned(files);
        let mut known = self.0.lock();
        let count = findings.len().max(1);
        if known.count + count > MAX_FINDINGS {
            *known = KnownFindings::default();
        }
        if known.found.insert(digest, findings.clone()).is_none() {
            known.count += count;
        }
        findings
    }
}

/// The files that are looked at.
fn read(skill: &CatalogSkill) -> Result<Looked, ContentsError> {
    let contents = Contents::open(skill)?;
    let limits = ReadLimits {
        max_bytes: MAX_BYTES,
        nested: true,
        binary: BinaryContent::Include,
        ..ReadLimits::default()
    };
    let mut files = Vec::new();
    let mut left = MAX_BYTES;
    let list = contents.list(None)?;
    let mut complete = !list.truncated && list.unreadable.is_empty();
    for file in list.files {
        if left == 0 {
            complete = false;
            break;
        }
        // What cannot be read is shown in the list of files.
        let Ok(read) = contents.read(&file.path, ReadRange::default(), limits) else {
            complete = false;
            continue;
        };
        let bytes = match read.content {
            ResourceContent::Text(text) => text.into_bytes(),
            ResourceContent::Binary { bytes, .. } => bytes.unwrap_or_default(),
        };
        left = left.saturating_sub(bytes.len() as u64);
        files.push((file, bytes));
    }
    Ok(Looked { files, complete })
}

fn digest(files: &[(File, Vec<u8>)]) -> Digest {
    let mut tree = TreeDigest::default();
    for (file, bytes) in files {
        tree.add(&file.path, file.executable, Digest::of(bytes));
    }
    tree.finish()
}

fn scanned(files: &[(File, Vec<u8>)]) -> Vec<Finding> {
    let borrowed: Vec<skillyard_scan::File<'_>> = files
        .iter()
        .map(|(file, bytes)| skillyard_scan::File {
            path: &file.path,
            bytes,
            executable: file.executable,
        })
        .collect();
    let findings = scan(&borrowed).findings.into_iter();
    findings
        .map(|finding| Finding {
            code: finding.code.to_owned(),
            severity: finding.severity.name().to_owned(),
            path: finding.path,
            line: finding.line,
            message: finding.message,
            help: finding.help.to_owned(),
        })
        .collect()
}
