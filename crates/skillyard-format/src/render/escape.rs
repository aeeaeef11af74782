//! Escaping, so that no text from a skill can pass for structure.

use crate::text::is_forbidden;

/// `text` as XML character data and attribute text.
///
/// Characters that XML cannot hold become U+FFFD. Line ends and tabs are kept in data by
/// every XML reader only as references, so `\r` is written as one.
pub(super) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            '\r' => escaped.push_str("&#xD;"),
            c if is_forbidden(c) => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}

/// `text` on one line: every run of white space is one space, and tags cannot open.
pub(super) fn line(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;")
}

/// `text` on one line: every run of white space is one space, controls become U+FFFD.
pub fn one_line(text: &str) -> String {
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
    result
}
