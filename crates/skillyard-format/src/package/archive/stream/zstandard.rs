//! One Zstandard frame, and nothing else.

use std::io::{self, BufRead, Read};

use zstd::stream::raw::{DParameter, Decoder, Operation as _};

use super::expect_end;
use crate::package::archive::error::ArchiveError;

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// 8 MiB, what the levels up to 19 use: the header of a frame must not decide how much memory we take.
const WINDOW_LOG: u32 = 23;

pub(super) struct Zstandard<R> {
    reader: R,
    decoder: Decoder<'static>,
    consumed: u64,
    ended: bool,
}

impl<R: BufRead> Zstandard<R> {
    pub(super) fn new(reader: R) -> Result<Self, ArchiveError> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self {
            reader,
            decoder,
            consumed: 0,
            ended: false,
        })
    }

    pub(super) fn consumed(&self) -> u64 {
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
                expect_end(&mut self.reader, &MAGIC)?;
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
