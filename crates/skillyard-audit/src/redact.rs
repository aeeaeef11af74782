//! Redaction and length limit of the fields of an entry.

use std::borrow::Cow;

use crate::head::Hash;

/// Takes secrets out of what is written down.
pub trait Redact: Send + Sync {
    /// `text` without its secrets.
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str>;
}

/// Writes everything down as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unredacted;

impl Redact for Unredacted {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }
}

/// No field says more as it is written, so that no line is without end.
const MAX_FIELD_BYTES: usize = 4096;
/// No letter is longer as it is written, for each of its bytes.
const MAX_ESCAPED_BYTES: usize = 6;

/// A field as it may stand in the log: without secrets and not without end. Of what is too long the
/// beginning and the end stay, and a digest of the whole: what matters may stand anywhere in it.
pub(crate) fn redacted_field<'a>(text: &'a str, redact: &dyn Redact) -> Cow<'a, str> {
    let text = redact.redact(text);
    if text.len() <= MAX_FIELD_BYTES / MAX_ESCAPED_BYTES {
        return text;
    }
    let length: usize = text.chars().map(written_length).sum();
    if length <= MAX_FIELD_BYTES {
        return text;
    }
    let beginning = prefix_bytes(text.chars(), MAX_FIELD_BYTES / 2);
    let end = text.len() - prefix_bytes(text.chars().rev(), MAX_FIELD_BYTES / 2);
    let (left_out, whole) = (end - beginning, Hash::of(text.as_bytes()));
    Cow::Owned(format!(
        "{}… {left_out} bytes left out, sha256:{whole} in all …{}",
        &text[..beginning],
        &text[end..]
    ))
}

/// The bytes of as many letters as are not longer together as they are written.
fn prefix_bytes(letters: impl Iterator<Item = char>, most: usize) -> usize {
    let mut written = 0;
    let fits = letters.take_while(|letter| {
        written += written_length(*letter);
        written <= most
    });
    fits.map(char::len_utf8).sum()
}

/// How many bytes a letter has in a line: some are escaped.
fn written_length(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        letter if letter < ' ' => MAX_ESCAPED_BYTES,
        letter => letter.len_utf8(),
    }
}

/// How many bytes a field takes at most.
pub(crate) fn max_written_bytes(text: &str) -> usize {
    // Quotes, a colon and a comma, or what is said of what was left out.
    const AROUND: usize = 8;
    const LEFT_OUT: usize = 160;
    let length: usize = text.chars().map(written_length).sum();
    length.min(MAX_FIELD_BYTES + LEFT_OUT) + AROUND
}
