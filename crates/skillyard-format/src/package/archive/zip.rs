//! Zip, read so that no other tool can see something else in it.
//!
//! The directory at the end and the headers before each file must say the same,
//! and entries, directory and end record must cover the file without gap or overlap.

mod directory;
mod local;

use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};

use crc32fast::Hasher;

use crate::package::archive::census::{Census, Verdict};
use crate::package::archive::error::EntryProblem;
use crate::package::archive::error::{ArchiveError, LimitProblem, ZipProblem};
use crate::package::archive::limits::Rules;
use crate::package::archive::listing::{ArchiveListing, EntryKind};
use crate::package::archive::path::ArchivePath;
use crate::package::archive::stream::Inflate;
use crate::package::archive::{Delivered, Sink, hand_over};
use directory::{Directory, EndCount, Record};

pub(crate) use directory::has_end;

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
) -> Result<(ArchiveListing, Vec<Member>), ArchiveError> {
    let directory = directory::find(reader, length)?;
    if directory.count > rules.limits.entries {
        let limit = rules.limits.entries;
        return Err(LimitProblem::Entries { limit }.into());
    }
    let mut census = Census::new(rules);
    let mut records = directory::read(reader, &directory, |record| census.add(&record.head))?;
    // Many files of just under a MiB are a bomb as well.
    if rules.limits.is_bomb(length, census.total_bytes()) {
        let limit = rules.limits.ratio;
        return Err(LimitProblem::Ratio { limit }.into());
    }
    records.sort_by_key(|(record, _)| record.offset);
    let members = lay_out(reader, &directory, records)?;
    for member in &members {
        let mut content = CheckedContent::new(reader, member)?;
        census.read_through(member.verdict, &mut content)?;
    }
    Ok((census.finish(), members))
}

/// The second pass.
pub(crate) fn deliver<R: Read + Seek>(
    reader: &mut R,
    members: &[Member],
    listing: &ArchiveListing,
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
            let mut content = CheckedContent::new(reader, member)?;
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

fn misplaced(record: &Record, place: u64, ends: EndCount) -> ZipProblem {
    if record.offset < place {
        ZipProblem::Overlap
    } else if place > 0 {
        ZipProblem::Gap
    } else if ends == EndCount::Several {
        ZipProblem::TwoEnds
    } else {
        ZipProblem::Prefix
    }
}

/// How content is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
}

impl Method {
    pub(super) fn new(number: u16) -> Result<Self, EntryProblem> {
        match number {
            0 => Ok(Self::Stored),
            8 => Ok(Self::Deflated),
            99 => Err(EntryProblem::Encrypted),
            _ => Err(EntryProblem::Unsupported(
                "a compression method other than deflate",
            )),
        }
    }

    pub(super) fn number(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflated => 8,
        }
    }
}

/// Reads an entry's content; at its end, size and checksum must be those of the header.
pub(super) struct CheckedContent<'a, R> {
    source: ContentSource<BufReader<Take<&'a mut R>>>,
    member: &'a Member,
    checksum: Hasher,
    read: u64,
    checked: bool,
}

enum ContentSource<R> {
    Stored(R),
    Deflated(Inflate<R>),
}

impl<'a, R: Read + Seek> CheckedContent<'a, R> {
    pub(super) fn new(reader: &'a mut R, member: &'a Member) -> Result<Self, ArchiveError> {
        reader.seek(SeekFrom::Start(member.start))?;
        let input = BufReader::new(reader.take(member.compressed));
        Ok(Self {
            source: match member.method {
                Method::Stored => ContentSource::Stored(input),
                Method::Deflated => ContentSource::Deflated(Inflate::new(input)),
            },
            member,
            checksum: Hasher::new(),
            read: 0,
            checked: false,
        })
    }

    fn check_end(&self) -> Result<(), EntryProblem> {
        let used = match &self.source {
            ContentSource::Stored(_) => self.read,
            ContentSource::Deflated(inflate) => inflate.consumed(),
        };
        if self.read != self.member.size || used != self.member.compressed {
            return Err(EntryProblem::SizeLie);
        }
        if self.checksum.clone().finalize() != self.member.checksum {
            return Err(EntryProblem::Checksum);
        }
        Ok(())
    }

    fn refuse(&self, problem: EntryProblem) -> io::Error {
        ArchiveError::entry(&self.member.name, problem).into()
    }
}

impl<R: Read + Seek> Read for CheckedContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.checked || buffer.is_empty() {
            return Ok(0);
        }
        let read = match &mut self.source {
            ContentSource::Stored(input) => input.read(buffer)?,
            ContentSource::Deflated(inflate) => {
                inflate.read(buffer).map_err(|error| match error.into() {
                    ArchiveError::Damaged | ArchiveError::Truncated => {
                        ArchiveError::entry(&self.member.name, EntryProblem::Damaged).into()
                    }
                    other => io::Error::from(other),
                })?
            }
        };
        self.read += read as u64;
        if self.read > self.member.size {
            return Err(self.refuse(EntryProblem::SizeLie));
        }
        self.checksum.update(&buffer[..read]);
        if read == 0 {
            self.check_end().map_err(|problem| self.refuse(problem))?;
            self.checked = true;
        }
        Ok(read)
    }
}
