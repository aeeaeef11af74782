//! Escaping, so that no text from a skill can pass for structure.

use std::borrow::Cow;

use crate::text::{any_byte, is_forbidden};

/// `text` as XML character data and attribute text.
///
/// Characters that XML cannot hold become U+FFFD. Line ends and tabs are kept in data by
/// every XML reader only as references, so `\r` is written as one.
pub fn xml(text: &str) -> String {
    escaped(text, |c| match c {
        '\r' => Some("&#xD;"),
        c if is_forbidden(c) => Some("\u{fffd}"),
        _ => None,
    })
}

/// `text` as Python's `html.escape` writes it, quotes included.
pub(super) fn html(text: &str) -> String {
    escaped(text, |_| None)
}

/// `text` with the five characters of markup escaped, and what `further` replaces.
fn escaped(text: &str, further: impl Fn(char) -> Option<&'static str>) -> String {
    let mut result = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&#x27;"),
            c => match further(c) {
                Some(replacement) => result.push_str(replacement),
                None => result.push(c),
            },
        }
    }
    result
}

/// `text` on one line: every run of white space is one space, and tags cannot open.
pub(super) fn line(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;")
}

/// Whether two spaces follow one another; all pairs are looked at, which takes vector instructions.
fn has_double_space(text: &str) -> bool {
    let spaces = |pair: &[u8; 2]| u8::from(*pair == *b"  ");
    let pairs = text.as_bytes().array_windows::<2>();
    pairs.fold(0, |any, pair| any | spaces(pair)) != 0
}

/// `text` on one line: every run of white space is one space, controls become U+FFFD.
pub fn one_line(text: &str) -> Cow<'_, str> {
    // Most text is one line of printable ASCII already.
    let plain = |byte: u8| (b' '..=b'~').contains(&byte);
    if !any_byte(text, |byte| !plain(byte))
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !has_double_space(text)
    {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !result.is_empty() {
            result.push(' ');
        }
        result.extend(word.chars().map(|c| {
            if is_forbidden(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        }));
    }
    Cow::Owned(result)
}
