//! Skills as text for a model: the catalog of tier 1, the envelope of tier 2 and the
//! files of tier 3.

pub mod activation;
pub mod arguments;
pub mod catalog;
pub mod foreign;

use crate::text::{is_forbidden, one_line};

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
