//! Text of strangers as people may see it.
//!
//! Control characters move the cursor, change colours and worse; bidirectional controls reorder
//! what is read. Where somebody decides by what they read, characters that cannot be seen count too.

use std::borrow::Cow;

use crate::package::archive::is_invisible;
use crate::text::any_byte;

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
    is_plain(text) || !text.contains(is_deceptive)
}

/// `text` with every deceptive character as `\u{…}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_deceptive)
}

/// `text` as it is shown to who decides about it: what cannot be seen is `\u{…}` as well.
pub fn exact(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_deceptive(c) || is_invisible(c))
}

fn escaped(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    if is_plain(text) || !text.contains(&is_meant) {
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

/// Nearly all text is printable ASCII, which is cheaper to see than characters.
fn is_plain(text: &str) -> bool {
    let printable = |byte: u8| (b' '..=b'~').contains(&byte);
    !any_byte(text, |byte| {
        !printable(byte) && byte != b'\n' && byte != b'\t'
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(
            visible("a\u{1b}[31mb\u{202e}c\n"),
            "a\\u{1b}[31mb\\u{202e}c\n"
        );
        assert!(matches!(visible("plain é"), Cow::Borrowed(_)));
    }

    #[test]
    fn who_decides_sees_everything() {
        assert_eq!(visible("a\u{200b}\u{a0}b"), "a\u{200b}\u{a0}b");
        assert_eq!(
            exact("a\u{200b}\u{a0}b\u{2066}\r\n\tü"),
            "a\\u{200b}\\u{a0}b\\u{2066}\\u{d}\n\tü"
        );
    }
}
