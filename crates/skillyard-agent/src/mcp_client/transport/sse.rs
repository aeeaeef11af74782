//! Server-sent events of a response, with a limit for the size of one event.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::time::Duration;

use crate::mcp_client::error::McpError;

/// Bytes of an event ID that is sent back.
const MAX_EVENT_ID: usize = 1 << 10;

/// Reads the data of server-sent events.
pub(super) struct EventReader<R: Read> {
    lines: BufReader<R>,
    max_event: usize,
    /// The timeout of the request, for the error.
    timeout: Duration,
    resumption: Resumption,
}

/// How a stream that ended early can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Resumption {
    /// The ID of the last event.
    pub(super) id: Option<String>,
    /// The pause that the server asked for.
    pub(super) retry: Option<Duration>,
}

impl<R: Read> EventReader<R> {
    pub(super) fn new(stream: R, max_event: usize, timeout: Duration) -> Self {
        Self {
            lines: BufReader::new(stream),
            max_event,
            timeout,
            resumption: Resumption::default(),
        }
    }

    pub(super) fn resumption(&self) -> &Resumption {
        &self.resumption
    }

    fn note_field(&mut self, line: &[u8]) {
        let Ok(line) = std::str::from_utf8(line) else {
            return;
        };
        let Some((field, value)) = line.split_once(':') else {
            return;
        };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            // It is sent back in a header.
            "id" if value.len() <= MAX_EVENT_ID && value.chars().all(|c| c.is_ascii_graphic()) => {
                self.resumption.id = Some(value.to_owned()).filter(|id| !id.is_empty());
            }
            "retry" => {
                let retry = value.parse().ok().map(Duration::from_millis);
                self.resumption.retry = retry.or(self.resumption.retry);
            }
            _ => {}
        }
    }

    /// The data of the next event that has any; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, McpError> {
        let mut data = Vec::new();
        loop {
            let mut line = Vec::new();
            let room = self.max_event.saturating_sub(data.len());
            let room = u64::try_from(room).unwrap_or(u64::MAX);
            let read = self.lines.by_ref().take(room).read_until(b'\n', &mut line);
            let size = read.map_err(|error| match error.kind() {
                ErrorKind::TimedOut => McpError::Timeout {
                    after: self.timeout,
                },
                _ => McpError::closed(),
            })?;
            if size == 0 && room > 0 {
                return Ok(None);
            }
            if line.last() != Some(&b'\n') {
                if line.len() as u64 >= room {
                    let limit = self.max_event;
                    return Err(McpError::TooLarge { limit });
                }
                return Ok(None);
            }
            let line = line.trim_ascii_end();
            match line.strip_prefix(b"data:") {
                Some(piece) => {
                    data.extend_from_slice(piece.strip_prefix(b" ").unwrap_or(piece));
                    data.push(b'\n');
                }
                None if line.is_empty() && !data.trim_ascii().is_empty() => return Ok(Some(data)),
                None => self.note_field(line),
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
        let mut events = EventReader::new(&stream[..], 64, Duration::ZERO);
        assert_eq!(events.next().unwrap().unwrap(), b"{\"a\":\n1}\n");
        assert_eq!(events.next().unwrap().unwrap(), b"\n2\n");
        assert_eq!(events.next().unwrap(), None);
        assert_eq!(events.resumption().id.as_deref(), Some("7"));
    }

    #[test]
    fn id_and_retry_are_kept_for_resumption() {
        let stream = b"id: ev1\nretry: 200\ndata: \n\nid: with\xc3\xa9\nretry: soon\n\n";
        let mut events = EventReader::new(&stream[..], 64, Duration::ZERO);
        assert_eq!(events.next().unwrap(), None);
        let expected = Resumption {
            id: Some("ev1".into()),
            retry: Some(Duration::from_millis(200)),
        };
        assert_eq!(*events.resumption(), expected);
    }

    #[test]
    fn large_events_are_rejected() {
        let mut events = EventReader::new(std::io::repeat(b'x'), 1 << 10, Duration::ZERO);
        assert!(matches!(events.next(), Err(McpError::TooLarge { .. })));
        let lines = "data: xxxxxxxx\n".repeat(1000);
        let mut events = EventReader::new(lines.as_bytes(), 1 << 10, Duration::ZERO);
        assert!(matches!(events.next(), Err(McpError::TooLarge { .. })));
    }
}
