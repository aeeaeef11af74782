//! Raw deflate, with an end that is seen.
//!
//! flate2's own readers take a stream that is cut short for one that ended.

use std::io::{self, BufRead, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::package::archive::error::ArchiveError;

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
