//! Server-sent events, one after the other, none larger than is allowed.

use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use super::cut_off;
use super::streams::STREAM;
use crate::error::McpError;

/// How long a name of an event may be that is said again.
const LONGEST_ID: usize = 1 << 10;

/// The data of server-sent events.
pub(super) struct Events<R: Read> {
    lines: BufReader<R>,
    largest: usize,
    place: Resumption,
}

/// Where a stream can be taken up that ended early.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Resumption {
    /// The name of its last event.
    pub(super) id: Option<String>,
    /// How long the server wants us to wait.
    pub(super) pause: Option<Duration>,
}

impl<R: Read> Events<R> {
    pub(super) fn new(stream: R, largest: usize) -> Self {
        Self {
            lines: BufReader::new(stream),
            largest,
            place: Resumption::default(),
        }
    }

    /// Where it can be taken up, as far as it was read.
    pub(super) fn place(&self) -> &Resumption {
        &self.place
    }

    /// What a line says about taking the stream up.
    fn note(&mut self, line: &[u8]) {
        let Ok(line) = std::str::from_utf8(line) else {
            return;
        };
        let Some((field, value)) = line.split_once(':') else {
            return;
        };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            // It is said again in a header.
            "id" if value.len() <= LONGEST_ID && value.chars().all(|c| c.is_ascii_graphic()) => {
                self.place.id = Some(value.to_owned()).filter(|id| !id.is_empty());
            }
            "retry" => {
                let pause = value.parse().ok().map(Duration::from_millis);
                self.place.pause = pause.or(self.place.pause);
            }
            _ => {}
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
                None => self.note(line),
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
        assert_eq!(events.place().id.as_deref(), Some("7"));
    }

    #[test]
    fn where_a_stream_goes_on_is_noted() {
        let stream = b"id: ev1\nretry: 200\ndata: \n\nid: with\xc3\xa9\nretry: soon\n\n";
        let mut events = Events::new(&stream[..], 64);
        assert_eq!(events.next().unwrap(), None);
        let expected = Resumption {
            id: Some("ev1".into()),
            pause: Some(Duration::from_millis(200)),
        };
        assert_eq!(*events.place(), expected);
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
