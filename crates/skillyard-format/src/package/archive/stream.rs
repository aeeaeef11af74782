//! Compressed streams, unpacked under a ceiling.

use std::io::{self, BufRead, BufReader, Read};

use crc32fast::Hasher;
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, Operation as _};

use crate::package::archive::ArchiveFormat;
use crate::package::archive::error::{ArchiveError, LimitProblem};
use crate::package::archive::limits::Limits;

/// Room for headers and padding per entry, on top of the content.
const OVERHEAD_PER_ENTRY: u64 = 4 * 1024;

/// Room for the zeros at the end.
const OVERHEAD: u64 = 1024 * 1024;

/// The tar inside a file, whichever way it is compressed.
pub(crate) struct Stream<'a, R> {
    source: DecoderSource<BufReader<R>>,
    limits: &'a Limits,
    unpacked: u64,
}

enum DecoderSource<R> {
    Plain(R),
    Gzip(Gzip<R>),
    Zstandard(Zstandard<R>),
}

impl<'a, R: Read> Stream<'a, R> {
    pub(crate) fn new(
        reader: R,
        format: ArchiveFormat,
        limits: &'a Limits,
    ) -> Result<Self, ArchiveError> {
        let reader = BufReader::new(reader);
        let source = match format {
            ArchiveFormat::TarGz => DecoderSource::Gzip(Gzip::new(reader)?),
            ArchiveFormat::TarZst => DecoderSource::Zstandard(Zstandard::new(reader)?),
            ArchiveFormat::Tar | ArchiveFormat::Zip => DecoderSource::Plain(reader),
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
            DecoderSource::Plain(_) => return Ok(()),
            DecoderSource::Gzip(gzip) => gzip.consumed(),
            DecoderSource::Zstandard(zstandard) => zstandard.consumed(),
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
            DecoderSource::Plain(reader) => reader.read(buffer),
            DecoderSource::Gzip(gzip) => gzip.read(buffer),
            DecoderSource::Zstandard(zstandard) => zstandard.read(buffer),
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

const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const FLAG_TEXT: u8 = 1;
const FLAG_NAME: u8 = 8;

/// Most bytes of the file name that gzip may remember.
const MAX_NAME_BYTES: u64 = 1024;

struct Gzip<R> {
    inflate: Inflate<R>,
    header_bytes: u64,
    checksum: Hasher,
    length: u32,
    ended: bool,
}

impl<R: BufRead> Gzip<R> {
    fn new(mut reader: R) -> Result<Self, ArchiveError> {
        let mut header = [0; 10];
        reader.read_exact(&mut header)?;
        if header[..3] != GZIP_MAGIC || header[3] & !(FLAG_TEXT | FLAG_NAME) != 0 {
            return Err(ArchiveError::StreamHeader);
        }
        let mut header_bytes = 10;
        if header[3] & FLAG_NAME != 0 {
            let mut name = Vec::new();
            reader
                .by_ref()
                .take(MAX_NAME_BYTES)
                .read_until(0, &mut name)?;
            if name.last() != Some(&0) {
                return Err(ArchiveError::StreamHeader);
            }
            header_bytes += name.len() as u64;
        }
        Ok(Self {
            inflate: Inflate::new(reader),
            header_bytes,
            checksum: Hasher::new(),
            length: 0,
            ended: false,
        })
    }

    fn consumed(&self) -> u64 {
        self.header_bytes + self.inflate.consumed()
    }

    fn check_trailer(&mut self) -> Result<(), ArchiveError> {
        let (mut checksum, mut length) = ([0; 4], [0; 4]);
        let reader = self.inflate.reader();
        reader.read_exact(&mut checksum)?;
        reader.read_exact(&mut length)?;
        if u32::from_le_bytes(checksum) != self.checksum.clone().finalize()
            || u32::from_le_bytes(length) != self.length
        {
            return Err(ArchiveError::Damaged);
        }
        expect_end(reader, &GZIP_MAGIC)
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        let read = self.inflate.read(buffer)?;
        self.checksum.update(&buffer[..read]);
        // The length is kept modulo 2^32, as the format has it.
        self.length = self.length.wrapping_add(u32::try_from(read).unwrap_or(0));
        if read == 0 {
            self.ended = true;
            self.check_trailer()?;
        }
        Ok(read)
    }
}

/// Unpacks raw deflate from `reader` and leaves what follows it unread.
pub(crate) struct Inflate<R> {
    reader: R,
    state: Decompress,
    ended: bool,
}

impl<R: BufRead> Inflate<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            state: Decompress::new(false),
            ended: false,
        }
    }

    /// Compressed bytes used so far.
    pub(crate) fn consumed(&self) -> u64 {
        self.state.total_in()
    }

    /// The reader behind, after the end.
    pub(crate) fn reader(&mut self) -> &mut R {
        &mut self.reader
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            let input = self.reader.fill_buf()?;
            let at_end = input.is_empty();
            let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
            let status = self
                .state
                .decompress(input, buffer, FlushDecompress::None)
                .map_err(|_| ArchiveError::Damaged)?;
            let used = usize::try_from(self.state.total_in() - before_in).unwrap_or(0);
            let made = usize::try_from(self.state.total_out() - before_out).unwrap_or(0);
            self.reader.consume(used);
            self.ended = status == Status::StreamEnd;
            if made > 0 {
                return Ok(made);
            }
            if at_end && !self.ended {
                return Err(ArchiveError::Truncated.into());
            }
        }
        Ok(0)
    }
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// 8 MiB, what the levels up to 19 use: the header of a frame must not decide how much memory we take.
const WINDOW_LOG: u32 = 23;

struct Zstandard<R> {
    reader: R,
    decoder: Decoder<'static>,
    consumed: u64,
    ended: bool,
}

impl<R: BufRead> Zstandard<R> {
    fn new(reader: R) -> Result<Self, ArchiveError> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self {
            reader,
            decoder,
            consumed: 0,
            ended: false,
        })
    }

    fn consumed(&self) -> u64 {
        self.consumed
    }
}

impl<R: BufRead> Read for Zstandard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            let input = self.reader.fill_buf()?;
            let at_end = input.is_empty();
            let step = self
                .decoder
                .run_on_buffers(input, buffer)
                .map_err(|_| ArchiveError::Damaged)?;
            self.reader.consume(step.bytes_read);
            self.consumed += step.bytes_read as u64;
            if step.remaining == 0 {
                self.ended = true;
                expect_end(&mut self.reader, &ZSTD_MAGIC)?;
            }
            if step.bytes_written > 0 {
                return Ok(step.bytes_written);
            }
            if at_end && !self.ended {
                return Err(ArchiveError::Truncated.into());
            }
        }
        Ok(0)
    }
}
