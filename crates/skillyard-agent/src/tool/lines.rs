//! The lines of a file, however long it is: it is read piece by piece.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use skillyard_catalog::resource::{
    BinaryContent, PathRules, ReadLimits, ReadRange, ResourceContent, ResourceError, SkillRoot,
};

/// Bytes that are read at once.
const PIECE: u64 = 1_000_000;
/// Bytes of a file that are looked into.
const MAX_BYTES: u64 = 100_000_000;
/// The type of what is known to be nothing else; it is text if it has no zero byte.
const UNKNOWN: &str = "application/octet-stream";

/// How much of a file was looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Searched {
    /// All of it, or as much as was wanted.
    Whole,
    /// Its beginning.
    Part,
    /// Nothing, because it is no text.
    NoText,
}

/// Visits the lines of a file with their numbers, until there is no more, or no more is wanted.
pub(super) fn lines(
    root: &SkillRoot,
    path: &str,
    cancel: &AtomicBool,
    mut visit: impl FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> Result<Searched, ResourceError> {
    let limits = ReadLimits {
        max_bytes: PIECE,
        binary: BinaryContent::Include,
        names: PathRules::Any,
        ..ReadLimits::default()
    };
    let (mut offset, mut number) = (0, 0);
    // The beginning of a line whose end is in the next piece.
    let mut begun = Vec::new();
    while !cancel.load(Ordering::Relaxed) {
        let range = ReadRange {
            offset,
            limit: None,
        };
        let read = root.read(path, range, &limits)?;
        let piece = match read.content {
            ResourceContent::Text(text) => text.into_bytes(),
            ResourceContent::Binary {
                media_type: UNKNOWN,
                bytes: Some(bytes),
            } if !bytes.contains(&0) => bytes,
            ResourceContent::Binary { .. } if offset == 0 => return Ok(Searched::NoText),
            ResourceContent::Binary { .. } => return Ok(Searched::Part),
        };
        let whole = match (
            read.next_offset,
            piece.iter().rposition(|byte| *byte == b'\n'),
        ) {
            (None, _) => begun.len() + piece.len(),
            (Some(_), Some(at)) => begun.len() + at + 1,
            (Some(_), None) => 0,
        };
        begun.extend_from_slice(&piece);
        for line in begun[..whole].split_inclusive(|byte| *byte == b'\n') {
            number += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if visit(number, line).is_break() {
                return Ok(Searched::Whole);
            }
        }
        begun.drain(..whole);
        match read.next_offset {
            None => break,
            Some(next) if next >= MAX_BYTES => return Ok(Searched::Part),
            Some(next) => offset = next,
        }
    }
    Ok(Searched::Whole)
}
