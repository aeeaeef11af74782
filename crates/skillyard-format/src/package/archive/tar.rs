//! Tar: ustar, GNU and PAX, as far as ordinary tools write them.

mod header;
mod number;
mod pax;
mod walk;

use std::io::Read;

pub(crate) use header::{BLOCK, has_checksum};

use super::census::{Census, Kind, Verdict, mode_of, plain_name};
use super::error::ArchiveError;
use super::limits::Rules;
use super::listing::{EntryKind, Listing};
use super::path::ArchivePath;
use super::sink::{Delivered, Sink, hand_over};

/// What the first pass decided on one entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    verdict: Verdict,
    size: u64,
}

/// The first pass over `stream`.
pub(crate) fn survey(
    stream: impl Read,
    rules: &Rules,
) -> Result<(Listing, Vec<Slot>), ArchiveError> {
    let mut census = Census::new(rules);
    let mut slots = Vec::new();
    walk::walk(stream, &rules.limits, &mut |head, content| {
        let verdict = census.add(head)?;
        slots.push(Slot {
            verdict,
            size: head.size,
        });
        census.read_through(verdict, content)
    })?;
    Ok((census.finish(), slots))
}

/// The second pass over `stream`, which must be what it was.
pub(crate) fn deliver(
    stream: impl Read,
    slots: &[Slot],
    listing: &Listing,
    rules: &Rules,
    wants: &mut dyn FnMut(&ArchivePath) -> bool,
    sink: &mut dyn Sink,
) -> Result<Delivered, ArchiveError> {
    let mut delivered = Delivered::default();
    let mut slots = slots.iter();
    walk::walk(stream, &rules.limits, &mut |head, content| {
        let slot = slots.next().ok_or(ArchiveError::Changed)?;
        if slot.size != head.size {
            return Err(ArchiveError::Changed);
        }
        let Verdict::Listed(index) = slot.verdict else {
            return Ok(());
        };
        let entry = &listing.entries[index];
        if plain_name(head) != entry.path.as_str().as_bytes() {
            return Err(ArchiveError::Changed);
        }
        if let EntryKind::File { size, mode } = entry.kind
            && wants(&entry.path)
        {
            if head.kind != Kind::File || mode != mode_of(head.mode) {
                return Err(ArchiveError::Changed);
            }
            hand_over(sink, &entry.path, mode, content)?;
            delivered.files += 1;
            delivered.bytes += size;
        }
        Ok(())
    })?;
    if slots.next().is_some() {
        return Err(ArchiveError::Changed);
    }
    Ok(delivered)
}
