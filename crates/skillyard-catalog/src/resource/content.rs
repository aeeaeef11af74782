//! Telling text from binary, and cutting text between characters.

use std::str::from_utf8;

/// How many bytes from the start of a file decide what it is.
pub(super) const HEAD: usize = 8192;
/// The longest character, in bytes.
pub(super) const LONGEST: u64 = 4;
/// The type of binary content nothing is known about.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// The type of a file that starts with `head`, if that shows that it is not text.
///
/// PDF is the one format that may be all text and is of no use as such.
pub(super) fn media_type(head: &[u8]) -> Option<&'static str> {
    let head = &head[..head.len().min(HEAD)];
    // What was cut off inside a character is judged with the text.
    let invalid = from_utf8(head).is_err_and(|error| error.error_len().is_some());
    if !invalid && !head.contains(&0) && !head.starts_with(b"%PDF-") {
        return None;
    }
    let known = match head {
        [0xff, 0xfe, ..] => Some("text/plain; charset=utf-16le"),
        [0xfe, 0xff, ..] => Some("text/plain; charset=utf-16be"),
        _ => infer::get(head).map(|kind| kind.mime_type()),
    };
    Some(known.unwrap_or(UNKNOWN))
}

/// Bytes that were read around the part of a file that is wanted.
pub(super) struct Window {
    /// Some bytes before the part, the part, and some after it unless the file ends.
    pub(super) bytes: Vec<u8>,
    /// Where the part starts.
    pub(super) skip: usize,
    /// How long it may be.
    pub(super) limit: usize,
}

impl Window {
    /// The part as whole characters, and where in the window they start; the window itself if it is not text.
    pub(super) fn into_text(mut self) -> Result<(usize, String), Self> {
        let Some((start, stop)) = self.text() else {
            return Err(self);
        };
        self.bytes.truncate(stop);
        self.bytes.drain(..start);
        let (skip, limit) = (self.skip - start, self.limit);
        match String::from_utf8(self.bytes) {
            Ok(text) => Ok((start, text)),
            Err(error) => Err(Self {
                bytes: error.into_bytes(),
                skip,
                limit,
            }),
        }
    }

    /// The part as it is.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.stop());
        self.bytes.drain(..self.skip);
        self.bytes
    }

    /// Where the whole characters of the part start and stop, if it is text.
    fn text(&self) -> Option<(usize, usize)> {
        let start = self.boundary();
        let stop = self.stop();
        let stop = match from_utf8(&self.bytes[start..stop]) {
            Ok(_) => stop,
            // Invalid, or the file ends inside a character.
            Err(error) if error.error_len().is_some() || stop == self.bytes.len() => return None,
            Err(error) if error.valid_up_to() > 0 => start + error.valid_up_to(),
            // The limit is shorter than the first character, which is given whole.
            Err(_) => {
                let chunk = self.bytes[start..].utf8_chunks().next()?;
                start + chunk.valid().chars().next()?.len_utf8()
            }
        };
        (!self.bytes[start..stop].contains(&0)).then_some((start, stop))
    }

    fn stop(&self) -> usize {
        self.skip.saturating_add(self.limit).min(self.bytes.len())
    }

    /// Where the character starts that the start of the part falls into.
    fn boundary(&self) -> usize {
        (0..=self.skip)
            .rev()
            .find(|&place| self.bytes.get(place).is_none_or(|byte| byte & 0xc0 != 0x80))
            .unwrap_or(self.skip)
    }
}
