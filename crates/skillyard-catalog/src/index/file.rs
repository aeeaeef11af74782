//! The file of an index: what there is of each source, a row of numbers for each of its skills,
//! and the texts of all skills in one piece, their paths before all others: every file is looked
//! at in an order of its own, and what lies close together is found faster.
//!
//! Rows have one size, and texts are never copied: records refer to them. A checksum finds
//! accidental damage; bytes that were made up with a right one are still only wrong answers,
//! since every place is checked before it is used.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::record::Problem;
use crate::walk::{Listed, Skipped, Watched};

/// What an index file starts with; the number is its version.
pub(super) const MAGIC: &[u8; 8] = b"skyidx10";
/// Magic, checksum and the lengths of the first two parts and of the paths.
pub(super) const HEADER: usize = 36;

/// What one source held, without its skills.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoredSource {
    pub(super) root: PathBuf,
    /// How many rows are its skills.
    pub(super) rows: usize,
    /// What few skills have, by their places among the rows.
    pub(super) details: Vec<(usize, Details)>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) listed: Vec<Listed>,
    pub(super) watched: Vec<Watched>,
    pub(super) walked: i64,
}

/// What few skills have.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Details {
    pub(super) requires: Vec<String>,
    pub(super) problems: Vec<Problem>,
}

/// Guards against damage, not against an attacker: who can write here can write skills.
pub(crate) fn checksum<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().to_le_bytes()
}
