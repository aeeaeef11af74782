//! Compressed streams, unpacked under a ceiling.

mod gzip;
mod inflate;
mod zstandard;

use std::io::{self, BufRead, BufReader, Read};

use super::error::{ArchiveError, LimitProblem};
use super::limits::Limits;

use gzip::Gzip;
pub(crate) use inflate::Inflate;
use zstandard::Zstandard;

use super::format::Format;

/// Room for headers and padding per entry, on top of the content.
const OVERHEAD_PER_ENTRY: u64 = 4 * 1024;

/// Room for the zeros at the end.
const OVERHEAD: u64 = 1024 * 1024;

/// The tar inside a file, whichever way it is compressed.
pub(crate) struct Stream<'a, R> {
    source: Source<BufReader<R>>,
    limits: &'a Limits,
    unpacked: u64,
}

enum Source<R> {
    Plain(R),
    Gzip(Gzip<R>),
    Zstandard(Zstandard<R>),
}

impl<'a, R: Read> Stream<'a, R> {
    pub(crate) fn new(reader: R, format: Format, limits: &'a Limits) -> Result<Self, ArchiveError> {
        let reader = BufReader::new(reader);
        let source = match format {
            Format::TarGz => Source::Gzip(Gzip::new(reader)?),
            Format::TarZst => Source::Zstandard(Zstandard::new(reader)?),
            Format::Tar | Format::Zip => Source::Plain(reader),
        };
        Ok(Self {
            source,
            limits,
            unpacked: 0,
        })
    }

    /// Refuses what grows too much, at once and not at the end.
    fn check(&self) -> Result<(), ArchiveError> {
        let limits = self.limits;
        let ceiling = limits.total_bytes + limits.entries * OVERHEAD_PER_ENTRY + OVERHEAD;
        if self.unpacked > ceiling {
            return Err(LimitProblem::TotalBytes {
                limit: limits.total_bytes,
            }
            .into());
        }
        let packed = match &self.source {
            Source::Plain(_) => return Ok(()),
            Source::Gzip(gzip) => gzip.consumed(),
            Source::Zstandard(zstandard) => zstandard.consumed(),
        };
        if limits.is_bomb(packed, self.unpacked) {
            return Err(LimitProblem::Ratio {
                limit: limits.ratio,
            }
            .into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Stream<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.source {
            Source::Plain(reader) => reader.read(buffer),
            Source::Gzip(gzip) => gzip.read(buffer),
            Source::Zstandard(zstandard) => zstandard.read(buffer),
        }?;
        self.unpacked += read as u64;
        self.check()?;
        Ok(read)
    }
}

/// Nothing may follow a compressed stream; `magic` starts another of its kind.
fn expect_end(reader: &mut impl BufRead, magic: &[u8]) -> Result<(), ArchiveError> {
    let rest = reader.fill_buf()?;
    if rest.is_empty() {
        Ok(())
    } else if rest.starts_with(&magic[..magic.len().min(rest.len())]) {
        Err(ArchiveError::SecondStream)
    } else {
        Err(ArchiveError::TrailingData)
    }
}
