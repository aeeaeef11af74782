//! Text of strangers on its way to a terminal: shown as something harmless.

use std::borrow::Cow;
use std::io::{self, Write};

use skillyard_format::text::is_harmless;

pub(crate) use skillyard_format::text::{
    escape_control as visible, escape_invisible as exact, is_deceptive,
};

/// `text` with every deceptive character replaced by one of the same length in bytes, so
/// that places in it stay where they are.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mask = |c: char| match (is_deceptive(c), c.len_utf8()) {
        (false, _) | (_, 4) => c,
        (true, 1) => {
            if c == '\r' {
                ' '
            } else {
                '?'
            }
        }
        (true, 2) => '¿',
        (true, _) => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(mask).collect())
}

/// `text` in at most `most` characters: its beginning and its end, which say more than the
/// middle of a very long name.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most || text.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    let tail = most / 3;
    let head: String = text.chars().take(most - tail - 1).collect();
    let end = text.char_indices().nth_back(tail - 1);
    let end = end.map_or("", |(at, _)| &text[at..]);
    Cow::Owned(format!("{head}…{end}"))
}

/// A way to a terminal on which bytes of strangers arrive harmless.
#[derive(Debug)]
pub(crate) struct Foreign<W> {
    inner: W,
    terminal: bool,
    /// The beginning of a character whose end is to come.
    rest: Vec<u8>,
}

impl<W: Write> Foreign<W> {
    pub(crate) fn new(inner: W, terminal: bool) -> Self {
        Self {
            inner,
            terminal,
            rest: Vec::new(),
        }
    }
}

impl<W: Write> Write for Foreign<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.terminal {
            self.inner.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.rest.extend_from_slice(bytes);
        let last = self
            .rest
            .utf8_chunks()
            .last()
            .map_or(&[][..], |chunk| chunk.invalid());
        let unfinished = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        let whole = self.rest.len() - if unfinished { last.len() } else { 0 };
        let text = String::from_utf8_lossy(&self.rest[..whole]);
        // Progress is written over itself; here each state gets a line.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.inner.write_all(visible(&text).as_bytes())?;
        self.rest.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_keeps_both_ends() {
        assert_eq!(shortened("`äbcdefghij` is bad", 12), "`äbcdef… bad");
        assert_eq!(shortened(&"ä".repeat(12), 12), "ä".repeat(12));
    }

    #[test]
    fn bytes_of_strangers_are_harmless_on_a_terminal() {
        let mut terminal = Foreign::new(Vec::new(), true);
        for piece in [
            &b"a\x1b]0;t\x07\xc3"[..],
            b"\xa4 1%\r2%\r\n",
            b"\xff\xe2\x80",
            b"\xae",
        ] {
            terminal.write_all(piece).unwrap();
        }
        let shown = String::from_utf8(terminal.inner).unwrap();
        assert_eq!(shown, "a\\u{1b}]0;t\\u{7}ä 1%\n2%\n\u{fffd}\\u{202e}");
        let mut pipe = Foreign::new(Vec::new(), false);
        pipe.write_all(b"\x1b\xff").unwrap();
        assert_eq!(pipe.inner, b"\x1b\xff");
    }

    #[test]
    fn masking_keeps_lengths() {
        let text = "a\u{1b}\u{9b}\u{202e}\r\n";
        let masked = masked(text);
        assert_eq!(masked.len(), text.len());
        assert!(!masked.contains(is_deceptive));
    }
}
