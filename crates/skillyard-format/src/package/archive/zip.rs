//! Zip, read so that no other tool can see something else in it.
//!
//! The directory at the end and the headers before each file must say the same,
//! and entries, directory and end record must cover the file without gap or overlap.

mod central;
mod content;
mod end;
mod extra;
mod fields;
mod local;

use std::io::{Read, Seek, SeekFrom};

use super::census::{Census, Verdict};
use super::error::{ArchiveError, LimitProblem, ZipProblem};
use super::limits::Rules;
use super::listing::{EntryKind, Listing};
use super::path::ArchivePath;
use super::sink::{Delivered, Sink, hand_over};

use central::Record;
use content::{Content, Method};
pub(crate) use end::has_end;
use end::{Directory, Ends};

/// A file of the archive, found and checked.
#[derive(Debug)]
pub(crate) struct Member {
    name: Vec<u8>,
    verdict: Verdict,
    method: Method,
    checksum: u32,
    compressed: u64,
    size: u64,
    start: u64,
}

/// The first pass.
pub(crate) fn survey<R: Read + Seek>(
    reader: &mut R,
    length: u64,
    rules: &Rules,
) -> Result<(Listing, Vec<Member>), ArchiveError> {
    let directory = end::find(reader, length)?;
    if directory.count > rules.limits.entries {
        let limit = rules.limits.entries;
        return Err(LimitProblem::Entries { limit }.into());
    }
    let mut census = Census::new(rules);
    let mut records = central::read(reader, &directory, |record| census.add(&record.head))?;
    // Many files of just under a MiB are a bomb as well.
    if rules.limits.is_bomb(length, census.total_bytes()) {
        let limit = rules.limits.ratio;
        return Err(LimitProblem::Ratio { limit }.into());
    }
    records.sort_by_key(|(record, _)| record.offset);
    let members = lay_out(reader, &directory, records)?;
    for member in &members {
        let mut content = Content::new(reader, member)?;
        census.read_through(member.verdict, &mut content)?;
    }
    Ok((census.finish(), members))
}

/// The second pass.
pub(crate) fn deliver<R: Read + Seek>(
    reader: &mut R,
    members: &[Member],
    listing: &Listing,
    wants: &mut dyn FnMut(&ArchivePath) -> bool,
    sink: &mut dyn Sink,
) -> Result<Delivered, ArchiveError> {
    let mut delivered = Delivered::default();
    for member in members {
        let Verdict::Listed(index) = member.verdict else {
            continue;
        };
        let entry = &listing.entries[index];
        if let EntryKind::File { size, mode } = entry.kind
            && wants(&entry.path)
        {
            let mut content = Content::new(reader, member)?;
            hand_over(sink, &entry.path, mode, &mut content)?;
            delivered.files += 1;
            delivered.bytes += size;
        }
    }
    Ok(delivered)
}

/// Checks that the entries, in the order of their places, fill the file up to the directory.
fn lay_out<R: Read + Seek>(
    reader: &mut R,
    directory: &Directory,
    records: Vec<(Record, Verdict)>,
) -> Result<Vec<Member>, ArchiveError> {
    let mut members = Vec::with_capacity(records.len());
    let mut place = 0;
    let mut records = records.into_iter().peekable();
    while let Some((record, verdict)) = records.next() {
        if record.offset != place {
            return Err(misplaced(&record, place, directory.ends).into());
        }
        let boundary = records
            .peek()
            .map_or(directory.offset, |(next, _)| next.offset);
        if boundary <= record.offset {
            return Err(ZipProblem::Overlap.into());
        }
        reader.seek(SeekFrom::Start(record.offset))?;
        let local = local::read(reader, &record)?;
        place = local::find_end(reader, &record, &local, boundary)?;
        members.push(Member {
            name: record.head.name,
            verdict,
            method: record.method,
            checksum: record.checksum,
            compressed: record.compressed,
            size: record.head.size,
            start: local.data,
        });
    }
    if place == directory.offset {
        Ok(members)
    } else {
        Err(ZipProblem::Prefix.into())
    }
}

fn misplaced(record: &Record, place: u64, ends: Ends) -> ZipProblem {
    if record.offset < place {
        ZipProblem::Overlap
    } else if place > 0 {
        ZipProblem::Gap
    } else if ends == Ends::Several {
        ZipProblem::TwoEnds
    } else {
        ZipProblem::Prefix
    }
}
