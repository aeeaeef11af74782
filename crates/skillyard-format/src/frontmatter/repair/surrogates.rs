//! Escapes as JSON writes them: two for one character.

use crate::edit::Edit;
use crate::span::Span;

/// The edits that write each pair of surrogate escapes as the character it means.
pub(crate) fn surrogate_pairs(text: &str, offset: usize) -> Vec<Edit> {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("\\u") {
        let start = at + found;
        at = start + 2;
        let (Some(high), low) = (unit(start), unit(start + 6)) else {
            continue;
        };
        if !(0xD800..0xE000).contains(&high) {
            continue;
        }
        let units = [high, low.unwrap_or_default()];
        let decoded = char::decode_utf16(units).next().and_then(Result::ok);
        let (length, replacement) = match decoded {
            Some(c) if u32::from(c) > 0xFFFF => (12, c.to_string()),
            _ => (6, "\\uFFFD".to_owned()),
        };
        edits.push(Edit::replace(
            Span::new(offset + start, offset + start + length),
            replacement,
        ));
        at = start + length;
    }
    edits
}
