//! From bytes to text: encodings, byte order marks and characters YAML forbids.

use std::borrow::Cow;
use std::fmt::Display;

/// What the bytes of a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, as the standard expects.
    Utf8,
    /// UTF-16, recognised by its byte order mark.
    Utf16,
    /// Something else; undecodable bytes became U+FFFD.
    Unknown {
        /// The first byte that is not UTF-8.
        at: usize,
    },
}

/// A file's text and the encoding it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, with its byte order mark if it had one.
    pub text: Cow<'a, str>,
    /// The encoding.
    pub encoding: Encoding,
}

/// The byte order mark.
pub const BOM: char = '\u{feff}';

/// Decodes the bytes of a `SKILL.md`.
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some(text) = decode_utf16(bytes) {
        return Decoded {
            text: Cow::Owned(text),
            encoding: Encoding::Utf16,
        };
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded {
            text: Cow::Borrowed(text),
            encoding: Encoding::Utf8,
        },
        Err(error) => Decoded {
            text: String::from_utf8_lossy(bytes),
            encoding: Encoding::Unknown {
                at: error.valid_up_to(),
            },
        },
    }
}

fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| read(*pair)).skip(1);
    Some(
        char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    )
}

/// The first character that YAML forbids, and its place.
pub(crate) fn first_forbidden(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(_, c)| is_forbidden(*c))
}

/// Whether YAML forbids this character: C0 and C1 controls and non-characters.
pub fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    }
}

/// So many of something whose name takes an `s`: `1 skill`, `2 skills`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, word: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {word}{plural}")
}

/// The number of edits between two words, a swap of neighbours being one.
pub fn distance(first: &str, second: &str) -> usize {
    strsim::osa_distance(first, second)
}

/// The candidate nearest to `word`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(edits, _)| *edits <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Whether a terminal or a reader could be deceived by `c`.
pub fn is_deceptive(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Many programs begin a new line at the first two.
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            true
        }
        c => c.is_control(),
    }
}

/// Whether nothing in `text` deceives.
pub fn is_harmless(text: &str) -> bool {
    !text.contains(is_deceptive)
}

/// `text` with every deceptive character as `\u{…}`.
pub fn escape_control(text: &str) -> Cow<'_, str> {
    escaped(text, is_deceptive)
}

/// `text` as it is shown to who decides about it: what cannot be seen is `\u{…}` as well.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_deceptive(c) || is_invisible(c))
}

fn escaped(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_meant(c) {
            result.extend(c.escape_unicode());
        } else {
            result.push(c);
        }
    }
    Cow::Owned(result)
}

/// Default-ignorable characters, bidirectional controls, fillers, and every space but U+0020.
pub(crate) fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return false;
    }
    character.is_whitespace()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(character) & 0xfffe == 0xfffe
        || matches!(character, '\u{fdd0}'..='\u{fdef}')
}

/// `text` on one line: every run of white space is one space, controls become U+FFFD.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ") {
        return Cow::Borrowed(text);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    Cow::Owned(words.join(" ").replace(is_forbidden, "\u{fffd}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_forbidden_character_is_found() {
        for c in ('\0'..='\u{2ff}').chain(['\u{2028}', '\u{fffd}', '\u{fffe}', '\u{ffff}']) {
            let start = "some text é\u{fffd}";
            let text = format!("{start}{c}\u{1b}");
            let length = if is_forbidden(c) { 0 } else { c.len_utf8() };
            let at = start.len() + length;
            assert_eq!(first_forbidden(&text).map(|(at, _)| at), Some(at), "{c:?}");
            let text = &text[..text.len() - 1];
            assert_eq!(first_forbidden(text).is_some(), is_forbidden(c), "{c:?}");
        }
    }

    #[test]
    fn utf8_is_borrowed() {
        assert!(matches!(decode(b"abc").text, Cow::Borrowed("abc")));
    }

    #[test]
    fn utf16_of_both_kinds_is_read() {
        for bytes in [&b"\xff\xfeh\0i\0"[..], &b"\xfe\xff\0h\0i"[..]] {
            let decoded = decode(bytes);
            assert_eq!((&*decoded.text, decoded.encoding), ("hi", Encoding::Utf16));
        }
    }

    #[test]
    fn other_bytes_are_replaced_and_located() {
        let decoded = decode(b"caf\xe9");
        assert_eq!(&*decoded.text, "caf\u{fffd}");
        assert_eq!(decoded.encoding, Encoding::Unknown { at: 3 });
    }
}

#[cfg(test)]
mod count_tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(0_usize, "skill"), "0 skills");
        assert_eq!(counted(1_u64, "more byte"), "1 more byte");
        assert_eq!(counted(2, "line"), "2 lines");
    }
}

#[cfg(test)]
mod nearest_tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["description", "name", "license"];
        assert_eq!(nearest("desciption", known), Some("description"));
        assert_eq!(nearest("licence", known), Some("license"));
        assert_eq!(nearest("mane", known), None);
        assert_eq!(nearest("nmae", known), Some("name"));
        assert_eq!(nearest("homepage", known), None);
    }
}

#[cfg(test)]
mod sight_tests {
    use super::*;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(
            escape_control("a\u{1b}[31mb\u{202e}c\n"),
            "a\\u{1b}[31mb\\u{202e}c\n"
        );
        assert!(matches!(escape_control("plain é"), Cow::Borrowed(_)));
    }

    #[test]
    fn who_decides_sees_everything() {
        assert_eq!(escape_control("a\u{200b}\u{a0}b"), "a\u{200b}\u{a0}b");
        assert_eq!(
            escape_invisible("a\u{200b}\u{a0}b\u{2066}\r\n\tü"),
            "a\\u{200b}\\u{a0}b\\u{2066}\\u{d}\n\tü"
        );
    }
}
