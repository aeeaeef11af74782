//! The content of one zip entry, checked while it is read.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};

use crc32fast::Hasher;

use super::Member;
use crate::package::archive::error::ArchiveError;
use crate::package::archive::problem::EntryProblem;
use crate::package::archive::stream::Inflate;

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
pub(super) struct Content<'a, R> {
    source: Source<BufReader<Take<&'a mut R>>>,
    member: &'a Member,
    checksum: Hasher,
    read: u64,
    checked: bool,
}

enum Source<R> {
    Stored(R),
    Deflated(Inflate<R>),
}

impl<'a, R: Read + Seek> Content<'a, R> {
    pub(super) fn new(reader: &'a mut R, member: &'a Member) -> Result<Self, ArchiveError> {
        reader.seek(SeekFrom::Start(member.start))?;
        let input = BufReader::new(reader.take(member.compressed));
        Ok(Self {
            source: match member.method {
                Method::Stored => Source::Stored(input),
                Method::Deflated => Source::Deflated(Inflate::new(input)),
            },
            member,
            checksum: Hasher::new(),
            read: 0,
            checked: false,
        })
    }

    fn check_end(&self) -> Result<(), EntryProblem> {
        let used = match &self.source {
            Source::Stored(_) => self.read,
            Source::Deflated(inflate) => inflate.consumed(),
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

impl<R: Read + Seek> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.checked || buffer.is_empty() {
            return Ok(0);
        }
        let read = match &mut self.source {
            Source::Stored(input) => input.read(buffer)?,
            Source::Deflated(inflate) => {
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
