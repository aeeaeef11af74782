//! Server-sent events, as they come in pieces.
//!
//! Pieces end anywhere, in the middle of a character too, so lines are put together as bytes.

use super::ProviderError;

/// Longest line that is taken.
const MAX_LINE_BYTES: usize = 8 << 20;

/// What a stream may begin with, and means nothing.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SseEvent {
    /// Its kind, if it says one.
    pub(super) event: String,
    /// Its data; several lines are joined.
    pub(super) data: String,
}

/// Puts events together.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    line: Vec<u8>,
    open: SseEvent,
    has_data: bool,
    has_begun: bool,
}

impl SseParser {
    /// Takes a piece, and gives the events that it completes.
    pub(super) fn take(&mut self, piece: &[u8]) -> Result<Vec<SseEvent>, ProviderError> {
        let mut events = Vec::new();
        let mut rest = piece;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            let line = std::mem::take(&mut self.line);
            self.read(&line, &mut events);
        }
        self.line.extend_from_slice(rest);
        if self.line.len() + self.open.data.len() > MAX_LINE_BYTES {
            return Err(ProviderError::TooLong {
                limit: MAX_LINE_BYTES,
            });
        }
        Ok(events)
    }

    /// The last event, when the stream ended without an empty line behind it.
    pub(super) fn finish(&mut self) -> Option<SseEvent> {
        let mut events = Vec::new();
        let line = std::mem::take(&mut self.line);
        self.read(&line, &mut events);
        self.read(b"", &mut events);
        events.pop()
    }

    fn read(&mut self, line: &[u8], events: &mut Vec<SseEvent>) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if is_first => rest,
            _ => line,
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = String::from_utf8_lossy(line);
        if line.is_empty() {
            let event = std::mem::take(&mut self.open);
            if std::mem::take(&mut self.has_data) {
                events.push(event);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.open.event),
            "data" => {
                if self.has_data {
                    self.open.data.push('\n');
                }
                self.has_data = true;
                self.open.data.push_str(value);
            }
            // Comments keep a connection open; other fields mean nothing here.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: usize) -> Vec<(String, String)> {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            events.extend(parser.take(piece).unwrap());
        }
        events.extend(parser.finish());
        let pairs = events.into_iter().map(|each| (each.event, each.data));
        pairs.collect()
    }

    #[test]
    fn pieces_of_any_size_give_the_same_events() {
        let text = ": ping\r\nevent: a\r\ndata: {\"x\":\"ä€\"}\r\n\r\ndata:one\ndata: two\n\n\nid: 3\n\ndata: last";
        let expected = vec![
            ("a".to_owned(), "{\"x\":\"ä€\"}".to_owned()),
            (String::new(), "one\ntwo".to_owned()),
            (String::new(), "last".to_owned()),
        ];
        for size in 1..text.len() {
            assert_eq!(read(text, size), expected, "{size}");
            let marked = format!("\u{feff}{text}");
            assert_eq!(read(&marked, size), expected, "{size}, behind a mark");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut parser = SseParser::default();
        let piece = vec![b'x'; MAX_LINE_BYTES + 1];
        assert!(parser.take(&piece).is_err());
    }
}
