//! A field of a line, which has an end.

use std::borrow::Cow;

use crate::hash::Hash;
use crate::recorder::Redact;

/// No field says more as it is written, so that no line is without end.
const LONGEST_FIELD: usize = 4096;
/// No letter is longer as it is written, for each of its bytes.
const LONGEST_LETTER: usize = 6;

/// A field as it may stand in the log: without secrets and not without end. Of what is too long the
/// beginning and the end stay, and a digest of the whole: what matters may stand anywhere in it.
pub(crate) fn tamed<'a>(text: &'a str, redact: &dyn Redact) -> Cow<'a, str> {
    let text = redact.redact(text);
    if text.len() <= LONGEST_FIELD / LONGEST_LETTER {
        return text;
    }
    let length: usize = text.chars().map(written_length).sum();
    if length <= LONGEST_FIELD {
        return text;
    }
    let beginning = within(text.chars(), LONGEST_FIELD / 2);
    let end = text.len() - within(text.chars().rev(), LONGEST_FIELD / 2);
    let (left_out, whole) = (end - beginning, Hash::of(text.as_bytes()));
    Cow::Owned(format!(
        "{}… {left_out} bytes left out, sha256:{whole} in all …{}",
        &text[..beginning],
        &text[end..]
    ))
}

/// The bytes of as many letters as are not longer together as they are written.
fn within(letters: impl Iterator<Item = char>, most: usize) -> usize {
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
        letter if letter < ' ' => LONGEST_LETTER,
        letter => letter.len_utf8(),
    }
}

/// How many bytes a field takes at most.
pub(crate) fn room(text: &str) -> usize {
    // Quotes, a colon and a comma, or what is said of what was left out.
    const AROUND: usize = 8;
    const LEFT_OUT: usize = 160;
    let length: usize = text.chars().map(written_length).sum();
    length.min(LONGEST_FIELD + LEFT_OUT) + AROUND
}
