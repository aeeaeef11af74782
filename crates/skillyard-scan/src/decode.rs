//! What encoded text says once it is decoded: base64, hex, escapes and lists of numbers.

use std::ops::Range;

use crate::fold::ByteSet;

/// Fewest characters of an encoded text; shorter ones are names and hashes.
const MIN_ENCODED: usize = 24;
/// Most characters that are decoded of one text.
const MAX_ENCODED: usize = 65_536;
/// How often a decoded text is looked into again.
const MAX_LEVELS: u8 = 2;

/// Bytes of base64, in both of its alphabets.
static BASE64: ByteSet =
    ByteSet::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");
/// Bytes of `\x63\x75`, `0x63, 0x75` and `99, 117`.
static LISTED: ByteSet = ByteSet::of(b"0123456789ABCDEFabcdef\\x, ");

/// A text that was encoded, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecodedPayload {
    /// Where the encoded text stands.
    pub(crate) range: Range<usize>,
    /// What it says.
    pub(crate) text: String,
}

/// Every encoded text of `source` that is readable once decoded.
pub(crate) fn decode_payloads(source: &str) -> Vec<DecodedPayload> {
    let mut found = Vec::new();
    for range in runs(source, &BASE64) {
        let word = &source[range.clone()];
        if let Some(text) = readable(word).filter(|text| !is_harmless(source, range.start, text)) {
            let text = append_inner(text, MAX_LEVELS - 1);
            found.push(DecodedPayload { range, text });
        }
    }
    for range in runs(source, &LISTED) {
        if let Some(text) = numbers(&source[range.clone()]) {
            found.push(DecodedPayload { range, text });
        }
    }
    found
}

/// Puts what is encoded in `text` behind it.
fn append_inner(mut text: String, levels: u8) -> String {
    if levels == 0 {
        return text;
    }
    let inner: Vec<String> = runs(&text, &BASE64)
        .filter_map(|range| readable(&text[range]))
        .map(|inner| append_inner(inner, levels - 1))
        .collect();
    for each in inner {
        text.push(' ');
        text.push_str(&each);
    }
    text
}

/// The stretches of bytes of a set, if they are long enough.
fn runs(source: &str, set: &ByteSet) -> impl Iterator<Item = Range<usize>> {
    let bytes = source.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        // A run that is long enough covers the whole window; from its end back to the last
        // byte that does not belong, most bytes are never looked at.
        while let Some(window) = bytes.get(at..at + MIN_ENCODED) {
            if let Some(outside) = window.iter().rposition(|byte| !set.has(*byte)) {
                at += outside + 1;
                continue;
            }
            let start = at;
            let length = MIN_ENCODED + set.run(&bytes[start + MIN_ENCODED..]);
            at = start + length;
            return Some(start..start + length.min(MAX_ENCODED));
        }
        None
    })
}

/// The text of a base64 or hex word.
fn readable(word: &str) -> Option<String> {
    let hex = || {
        let is_hex = word.len().is_multiple_of(2) && word.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| hex_bytes(word)).and_then(text_of)
    };
    text_of(base64_bytes(word)?).or_else(hex)
}

fn base64_bytes(word: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(word.len() * 3 / 4);
    let (mut buffer, mut bits) = (0_u32, 0);
    for byte in word.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = buffer << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn hex_bytes(word: &str) -> Vec<u8> {
    let pairs = word.as_bytes().chunks_exact(2);
    pairs
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// The text of a list of character codes.
fn numbers(list: &str) -> Option<String> {
    if !list.contains(['\\', ',']) {
        return None;
    }
    let codes = list.split(['\\', ',', ' ']).filter(|each| !each.is_empty());
    let bytes: Option<Vec<u8>> = codes
        .map(
            |code| match code.trim_start_matches('0').strip_prefix('x') {
                Some(hex) => u8::from_str_radix(hex, 16).ok(),
                None => code.parse().ok(),
            },
        )
        .collect();
    text_of(bytes?)
}

/// `bytes` as text, if a person could read it.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let is_readable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let is_text = bytes.len() >= 8
        && bytes.iter().all(is_readable)
        && bytes
            .iter()
            .any(|byte| matches!(byte, b' ' | b'/' | b'.' | b'('));
    is_text.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// Pictures in data addresses and the heads of web tokens are usually encoded.
fn is_harmless(source: &str, start: usize, text: &str) -> bool {
    let before = &source[source.floor_char_boundary(start.saturating_sub(40))..start];
    let is_address = before.contains("data:") && before.ends_with("base64,");
    let text = text.trim_start();
    is_address && text.starts_with('<')
        || text.starts_with("{\"alg\"")
        || text.starts_with("{\"typ\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let found = decode_payloads(source);
        let texts: Vec<&str> = found.iter().map(|each| each.text.as_str()).collect();
        assert_eq!(texts, expected, "{source}");
    }

    #[test]
    fn base64_is_read_twice() {
        check(
            "x = 'Y3VybCBodHRwOi8veC50ZXN0L2E='",
            &["curl http://x.test/a"],
        );
        check(
            "WTNWeWJDQm9kSFJ3T2k4dmVDNTBaWE4wTDJFPQ== bHMgLWxhIC90bXAvdGhpbmdzIGFuZA==",
            &["ls -la /tmp/things and"],
        );
        check(
            "ZWNobyBZM1Z5YkNCb2RIUndPaTh2ZUM1MFpYTjBMMkU9",
            &["echo Y3VybCBodHRwOi8veC50ZXN0L2E= curl http://x.test/a"],
        );
    }

    #[test]
    fn escapes_hex_and_lists_are_read() {
        check("\\x63\\x75\\x72\\x6c\\x20\\x78\\x2e\\x79", &["curl x.y"]);
        check("[99, 117, 114, 108, 32, 120, 46, 121]", &["curl x.y"]);
        check("6375726c20687474703a2f2f782e79", &["curl http://x.y"]);
    }

    #[test]
    fn hashes_names_and_pictures_are_not() {
        check(
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            &[],
        );
        check("the-quick-brown-fox-jumps-over", &[]);
        check(
            "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dyI+",
            &[],
        );
    }
}
