//! One header block.

use super::number::{Empty, octal};
use crate::package::archive::error::TarProblem;

/// Headers are one block; content is padded to whole blocks.
pub(crate) const BLOCK: usize = 512;

const CHECKSUM: std::ops::Range<usize> = 148..156;

/// A header's fields, as far as they matter: owners and times are never applied.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) kind: u8,
}

impl Header {
    pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Self, TarProblem> {
        if !has_checksum(block) {
            return Err(TarProblem::Checksum);
        }
        let with_prefix = match &block[257..265] {
            b"ustar\x0000" => true,
            // GNU's own form, and the oldest, keep other things where the prefix would be.
            b"ustar  \0" | b"\0\0\0\0\0\0\0\0" => false,
            _ => return Err(TarProblem::Header),
        };
        let mut name = Vec::new();
        let prefix = trim(prefix(block));
        if with_prefix && !prefix.is_empty() {
            name.extend_from_slice(prefix);
            name.push(b'/');
        }
        name.extend_from_slice(trim(&block[..100]));
        let mode = octal(&block[100..108], Empty::Zero)?;
        Ok(Self {
            name,
            mode: u32::try_from(mode).map_err(|_| TarProblem::Number)?,
            size: octal(&block[124..136], Empty::Refused)?,
            kind: block[156],
        })
    }
}

/// The field of the prefix, without the two times that some tools keep at its end.
fn prefix(block: &[u8; BLOCK]) -> &[u8] {
    let is_time = |field: &[u8]| octal(field, Empty::Refused).is_ok();
    let has_times = block[475] == 0 && is_time(&block[476..488]) && is_time(&block[488..500]);
    &block[345..if has_times { 475 } else { 500 }]
}

/// Whether `block` is a whole header whose checksum is right.
pub(crate) fn has_checksum(block: &[u8]) -> bool {
    if block.len() != BLOCK {
        return false;
    }
    let sum = block
        .iter()
        .enumerate()
        .map(|(index, byte)| {
            // The checksum counts itself as spaces.
            u64::from(if CHECKSUM.contains(&index) {
                b' '
            } else {
                *byte
            })
        })
        .sum::<u64>();
    octal(&block[CHECKSUM], Empty::Refused) == Ok(sum)
}

/// A text field without the NULs that fill it. One inside stays, and is refused as part of the name.
fn trim(field: &[u8]) -> &[u8] {
    let end = field
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    &field[..end]
}
