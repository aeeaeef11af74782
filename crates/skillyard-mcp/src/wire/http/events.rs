//! Server-sent events, one after the other, none larger than is allowed.

use std::io::{BufRead, BufReader, Read};

use super::{STREAM, cut_off};
use crate::error::McpError;

/// The data of server-sent events.
pub(super) struct Events<R: Read> {
    lines: BufReader<R>,
    largest: usize,
}

impl<R: Read> Events<R> {
    pub(super) fn new(stream: R, largest: usize) -> Self {
        Self {
            lines: BufReader::new(stream),
            largest,
        }
    }

    /// The next event that has data.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, McpError> {
        let mut data = Vec::new();
        loop {
            let mut line = Vec::new();
            let room = self.largest.saturating_sub(data.len());
            let room = u64::try_from(room).unwrap_or(u64::MAX);
            let read = self.lines.by_ref().take(room).read_until(b'\n', &mut line);
            let size = read.map_err(|error| cut_off(&error, STREAM))?;
            if size == 0 && room > 0 {
                return Ok(None);
            }
            if line.last() != Some(&b'\n') {
                let is_cut = line.len() as u64 >= room;
                let limit = self.largest;
                return if is_cut {
                    Err(McpError::TooLarge { limit })
                } else {
                    Ok(None)
                };
            }
            let line = line.trim_ascii_end();
            match line.strip_prefix(b"data:") {
                Some(piece) => {
                    data.extend_from_slice(piece.strip_prefix(b" ").unwrap_or(piece));
                    data.push(b'\n');
                }
                None if line.is_empty() && !data.trim_ascii().is_empty() => return Ok(Some(data)),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_one_by_one() {
        let stream = b": hello\n\nevent: message\ndata: {\"a\":\r\ndata: 1}\nid: 7\n\ndata:\n\ndata: 2\n\ndata: 3";
        let mut events = Events::new(&stream[..], 64);
        assert_eq!(events.next().unwrap().unwrap(), b"{\"a\":\n1}\n");
        assert_eq!(events.next().unwrap().unwrap(), b"\n2\n");
        assert_eq!(events.next().unwrap(), None);
    }

    #[test]
    fn an_event_without_end_is_not_kept() {
        let mut events = Events::new(std::io::repeat(b'x'), 1 << 10);
        assert!(matches!(events.next(), Err(McpError::TooLarge { .. })));
        let lines = "data: xxxxxxxx\n".repeat(1000);
        let mut events = Events::new(lines.as_bytes(), 1 << 10);
        assert!(matches!(events.next(), Err(McpError::TooLarge { .. })));
    }
}
