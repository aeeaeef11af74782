//! What Python does to text, where the reference validator's answers show it.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;

/// Text as Python reads a file: every line break is `\n`.
pub(super) fn universal_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// NFKC without trimming.
pub(super) fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// `strip` of a string, which takes four separators away that Unicode does not call white space.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c))
}

/// `repr` of a string.
pub(super) fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut result = String::with_capacity(text.len() + 2);
    result.push(quote);
    for c in text.chars() {
        match c {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            c if c == quote => {
                result.push('\\');
                result.push(c);
            }
            c if is_printable(c) => result.push(c),
            c => {
                let code = u32::from(c);
                let _ = match code {
                    0..=0xFF => write!(result, "\\x{code:02x}"),
                    0x100..=0xFFFF => write!(result, "\\u{code:04x}"),
                    _ => write!(result, "\\U{code:08x}"),
                };
            }
        }
    }
    result.push(quote);
    result
}

/// Whether `repr` shows a character as it is: not a control, format or separator character.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let separator = c.is_whitespace();
    let format = matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}');
    !(separator || format || c.is_control())
}

/// JSON with every character outside printable ASCII escaped, as `json.dumps` writes it.
pub(super) fn ascii_json(json: &str) -> String {
    let mut result = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || (' '..='~').contains(&c) {
            result.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(result, "\\u{unit:04x}");
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repr_chooses_quotes_and_escapes() {
        assert_eq!(repr("a"), "'a'");
        assert_eq!(repr("it's"), "\"it's\"");
        assert_eq!(repr("'\""), "'\\'\"'");
        assert_eq!(repr("a\n\u{a0}\u{200b}技"), "'a\\n\\xa0\\u200b技'");
    }

    #[test]
    fn json_is_ascii() {
        assert_eq!(
            ascii_json("\"é😀\u{7f}\""),
            "\"\\u00e9\\ud83d\\ude00\\u007f\""
        );
    }
}
