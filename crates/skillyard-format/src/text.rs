//! From bytes to text: encodings, byte order marks and characters YAML forbids.

use std::borrow::Cow;

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
    match utf8(bytes) {
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

/// `bytes` as UTF-8, checked with vector instructions where there are any.
pub fn utf8(bytes: &[u8]) -> Result<&str, std::str::Utf8Error> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // Ask again for the place of the error.
        Err(_) => std::str::from_utf8(bytes),
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

/// Whether `is_meant` holds for any byte, which must be cheap: it is asked of many at once.
///
/// A loop that may end at every byte looks at them one by one; ending only after a block lets
/// the compiler use vector instructions.
#[inline]
pub fn any_byte(text: &str, is_meant: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    // Asking a whole block for its answer takes as long as looking at it, so long texts have long blocks.
    let (large, rest) = bytes.as_chunks::<64>();
    if large.iter().any(|block| any_in_block(block, &is_meant)) {
        return true;
    }
    let (small, rest) = rest.as_chunks::<16>();
    if small.iter().any(|block| any_in_block(block, &is_meant)) {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    // The last bytes once more, some of which were looked at before.
    if let Some(last) = bytes.last_chunk::<16>() {
        return any_in_block(last, &is_meant);
    }
    match (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            any_in_block(first, &is_meant) || any_in_block(last, &is_meant)
        }
        _ => rest.iter().any(|byte| is_meant(*byte)),
    }
}

#[inline]
fn any_in_block<const N: usize>(block: &[u8; N], is_meant: &impl Fn(u8) -> bool) -> bool {
    let count = |any, byte: &u8| any | u8::from(is_meant(*byte));
    block.iter().fold(0, count) != 0
}

/// The first character that YAML forbids, and its place.
pub(crate) fn first_forbidden(text: &str) -> Option<(usize, char)> {
    // There is hardly ever one, so that is looked for first, and quickly.
    let bytes = text.as_bytes();
    let space = |byte: u8| byte == b'\t' || byte == b'\n' || byte == b'\r';
    let control = |byte: u8| (byte < 0x20 && !space(byte)) || byte == 0x7F;
    let forbidden = |at: usize| {
        matches!(
            bytes[at..],
            [0xC2, 0x80..=0x9F, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..]
        )
    };
    if !any_byte(text, control) && !memchr::memchr2_iter(0xC2, 0xEF, bytes).any(forbidden) {
        return None;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands() {
        for length in 0..150 {
            let text = "a".repeat(length);
            assert!(!any_byte(&text, |byte| byte == b'x'));
            for at in 0..length {
                let mut text = text.clone();
                text.replace_range(at..=at, "x");
                assert!(any_byte(&text, |byte| byte == b'x'), "{at} of {length}");
            }
        }
    }

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
