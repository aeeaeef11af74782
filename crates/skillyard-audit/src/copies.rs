//! Copies that lie beside the log.
//!
//! Whoever keeps one, or lets another program put files aside, is no forger: a file that only says
//! once more what another one says is no part of the log, and is told as what it is.

use std::io::{BufRead as _, BufReader, Read as _};

use crate::error::AuditError;
use crate::files::{CURRENT, Folder, HEAD};

/// Longest beginning of a file that is compared first; every line of ours ends before.
const BEGINNING: u64 = 1 << 20;

/// A file that says what another one says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The copy.
    pub file: String,
    /// What it is a copy of.
    pub of: String,
}

/// Which of these files are copies of others of them.
pub(crate) fn among(folder: &Folder, names: &[String]) -> Result<Vec<Copied>, AuditError> {
    let mut firsts: Vec<(Vec<u8>, &String)> = Vec::new();
    let mut copies = Vec::new();
    for name in names {
        let first = first_line(folder, name)?;
        if first.is_empty() {
            continue;
        }
        match firsts.iter_mut().find(|(known, _)| *known == first) {
            None => firsts.push((first, name)),
            // The chain has each line once, so that one of the two is not of it.
            Some((_, known)) => {
                let (before, now) = (whole_lines(folder, known)?, whole_lines(folder, name)?);
                if now.starts_with(&before) && (now.len() > before.len() || name == CURRENT) {
                    copies.push(copied(known, name));
                    *known = name;
                } else if before.starts_with(&now) {
                    copies.push(copied(name, known));
                }
            }
        }
    }
    Ok(copies)
}

/// Files beside the log that are called like it and are no part of it.
pub(crate) fn beside(folder: &Folder, names: &[String]) -> Result<Vec<String>, AuditError> {
    let is_other = |name: &String| {
        name.starts_with("audit") && name != HEAD && name != CURRENT && !names.contains(name)
    };
    let mut others: Vec<String> = folder.all_names()?.into_iter().filter(is_other).collect();
    others.sort_unstable();
    Ok(others)
}

fn copied(file: &str, of: &str) -> Copied {
    Copied {
        file: file.to_owned(),
        of: of.to_owned(),
    }
}

fn first_line(folder: &Folder, name: &str) -> Result<Vec<u8>, AuditError> {
    let mut line = Vec::new();
    if let Some(file) = folder.open_to_read(name)? {
        let read = BufReader::new(file.take(BEGINNING)).read_until(b'\n', &mut line);
        read.map_err(|error| folder.failed(name, error))?;
    }
    Ok(line)
}

/// The lines of a file but for one that was never finished.
fn whole_lines(folder: &Folder, name: &str) -> Result<Vec<u8>, AuditError> {
    let mut bytes = folder.read(name)?.unwrap_or_default();
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    bytes.truncate(whole);
    Ok(bytes)
}
