//! From the bytes of a file to the text that the rules look at.
//!
//! What a shell or an agent takes for text is read whatever bytes are in it. Null bytes can be
//! read in two ways, and a mark of UTF-16 can stand before text that is none; a file that has
//! either is read in both ways. Of other files, and of bytes that are not text in any encoding, only the
//! words in them are read.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use skillyard_format::Span;
use skillyard_format::text::{Encoding, decode};

use crate::file::{File, is_program, is_read_as_text};

/// In how many of the first bytes a null byte marks a file as binary.
const HEAD_BYTES: usize = 8_192;
/// Of how many bytes one that no text has says that all of them are none.
const BYTES_PER_CONTROL: usize = 64;
/// Shorter runs of printable characters stand in any file by chance.
const MIN_RUN_IN_BINARY: usize = 12;
/// The shortest statements that do anything are as long as this.
const MIN_RUN_IN_UTF16: usize = 4;

/// How bytes are taken that can be taken in two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodeMode {
    /// Null bytes are left out, as shells do it, and a UTF-16 byte order mark is respected.
    Dropped,
    /// Null bytes are blanks, as they may be displayed, and a UTF-16 byte order mark is ignored.
    Blank,
}

/// How places in the text that was read become places in the file's decoded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OffsetMapping {
    /// They are the same.
    Same,
    /// They are the same, if the UTF-16 byte order mark is respected.
    Marked,
    /// There are null bytes between them.
    WithoutNulls,
    /// Offsets cannot be mapped back.
    Lost,
}

impl OffsetMapping {
    /// Whether there is another way to read the file.
    pub(crate) fn is_ambiguous(self) -> bool {
        matches!(self, Self::Marked | Self::WithoutNulls)
    }
}

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct DecodedText<'a> {
    /// Its text, or the words in it if it is none.
    pub(crate) text: Cow<'a, str>,
    /// Whether it is text at all.
    pub(crate) is_text: bool,
    pub(crate) offsets: OffsetMapping,
    /// How many null bytes are in what is taken for text, and where the first is.
    pub(crate) nulls: Option<(usize, usize)>,
}

/// Reads a file.
pub(crate) fn decode_text<'a>(file: &File<'a>, mode: DecodeMode) -> DecodedText<'a> {
    let decoded = decode(file.bytes);
    let is_utf16 = decoded.encoding == Encoding::Utf16;
    let plain = |text, is_text| DecodedText {
        text,
        is_text,
        offsets: if is_utf16 {
            OffsetMapping::Marked
        } else {
            OffsetMapping::Same
        },
        nulls: None,
    };
    if is_utf16 && mode == DecodeMode::Blank {
        // Of what is UTF-16 indeed next to nothing is left.
        return DecodedText {
            offsets: OffsetMapping::Lost,
            ..plain(Cow::Owned(printable(file.bytes, MIN_RUN_IN_UTF16)), true)
        };
    }
    let first = memchr(0, decoded.text.as_bytes());
    let is_noise = || is_noise(file.bytes, decoded.encoding);
    let is_doubtful = first.map_or_else(is_noise, |first| first < HEAD_BYTES && !is_utf16);
    let is_expected = (first.is_some() || is_doubtful) && is_read_as_text(file);
    if is_doubtful && !is_expected {
        let words = if is_program(file.bytes) {
            String::new()
        } else {
            printable(file.bytes, MIN_RUN_IN_BINARY)
        };
        return DecodedText {
            offsets: OffsetMapping::Lost,
            ..plain(Cow::Owned(words), false)
        };
    }
    let Some(first) = first else {
        return plain(decoded.text, true);
    };
    let count = memchr_iter(0, decoded.text.as_bytes()).count();
    let (text, offsets) = match mode {
        DecodeMode::Dropped => (decoded.text.replace('\0', ""), OffsetMapping::WithoutNulls),
        DecodeMode::Blank => (decoded.text.replace('\0', " "), OffsetMapping::Same),
    };
    DecodedText {
        text: Cow::Owned(text),
        is_text: true,
        offsets,
        nulls: is_expected.then_some((count, first)),
    }
}

/// Whether bytes are neither UTF-8 nor text in an older encoding, none of which writes many control
/// characters. Random bytes without a null byte are such.
fn is_noise(bytes: &[u8], encoding: Encoding) -> bool {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let is_control = |byte: &&u8| {
        **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c) || **byte == 0x7f
    };
    let controls = || head.iter().filter(is_control).count();
    matches!(encoding, Encoding::Unknown { at } if at < HEAD_BYTES)
        && controls() >= head.len().div_ceil(BYTES_PER_CONTROL)
}

/// The runs of at least so many printable characters in a file, one a line.
fn printable(bytes: &[u8], least: usize) -> String {
    let is_shown = |byte: &u8| *byte == b'\t' || (0x20..0x7f).contains(byte);
    let runs = bytes.split(|byte| !is_shown(byte));
    let mut text = String::new();
    for run in runs.filter(|run| run.len() >= least) {
        text.push_str(&String::from_utf8_lossy(run));
        text.push('\n');
    }
    text
}

/// Moves spans of a text without its null bytes to where they are in the text of `bytes`.
///
/// All at once, so that it takes one pass however many there are.
pub(crate) fn restore_nulls(bytes: &[u8], spans: &mut [&mut Span]) {
    let text = decode(bytes).text;
    // Where each null byte would stand without those before it, in order.
    let nulls = memchr_iter(0, text.as_bytes()).enumerate();
    let mut nulls = nulls.map(|(before, at)| at - before).peekable();
    let mut ends: Vec<(usize, bool, usize)> = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        ends.push((span.start, true, index));
        ends.push((span.end, false, index));
    }
    // An end comes before a start at the same place: the null bytes there are behind it.
    ends.sort_unstable();
    let mut passed = 0;
    for (at, is_start, index) in ends {
        let is_before = |null: &usize| *null < at || is_start && *null == at;
        while nulls.next_if(is_before).is_some() {
            passed += 1;
        }
        let span = &mut *spans[index];
        if is_start {
            span.start = at + passed;
        } else {
            span.end = at + passed;
        }
    }
    for span in spans {
        span.end = span.end.max(span.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_between_null_bytes() {
        let bytes = b"\0a\0\0bc\0d";
        let mut spans = [Span::new(0, 1), Span::new(1, 3), Span::new(2, 4)];
        restore_nulls(bytes, &mut spans.iter_mut().collect::<Vec<_>>());
        let text = decode(bytes).text;
        let shown: Vec<&str> = spans.iter().map(|span| span.of(&text)).collect();
        assert_eq!(shown, ["a", "bc", "c\0d"]);
    }
}
