//! One gzip member, and nothing else.
//!
//! The header is read here because its optional fields can hide another archive
//! from tools that look for one at the end of a file.

use std::io::{self, BufRead, Read};

use crc32fast::Hasher;

use super::{Inflate, expect_end};
use crate::package::archive::error::ArchiveError;

const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const FLAG_TEXT: u8 = 1;
const FLAG_NAME: u8 = 8;

/// Most bytes of the file name that gzip may remember.
const NAME_BYTES: u64 = 1024;

pub(super) struct Gzip<R> {
    inflate: Inflate<R>,
    header_bytes: u64,
    checksum: Hasher,
    length: u32,
    ended: bool,
}

impl<R: BufRead> Gzip<R> {
    pub(super) fn new(mut reader: R) -> Result<Self, ArchiveError> {
        let mut header = [0; 10];
        reader.read_exact(&mut header)?;
        if header[..3] != MAGIC || header[3] & !(FLAG_TEXT | FLAG_NAME) != 0 {
            return Err(ArchiveError::StreamHeader);
        }
        let mut header_bytes = 10;
        if header[3] & FLAG_NAME != 0 {
            let mut name = Vec::new();
            reader.by_ref().take(NAME_BYTES).read_until(0, &mut name)?;
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

    pub(super) fn consumed(&self) -> u64 {
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
        expect_end(reader, &MAGIC)
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
