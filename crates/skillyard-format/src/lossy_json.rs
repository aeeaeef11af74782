//! JSON with lone surrogate escapes, which JavaScript programs write after cutting a text.

use serde_json::Value;

/// Parses JSON; a lone surrogate escape becomes U+FFFD.
pub fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match without_halves(text) {
        Some(repaired) => serde_json::from_str(&repaired),
        None => Err(error),
    })
}

/// `text` with each lone surrogate escape replaced; `None` if there is none.
fn without_halves(text: &str) -> Option<String> {
    const UNKNOWN: &str = "\\ufffd";
    let (mut repaired, mut rest, mut is_other) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        let length = match half(escape) {
            Some(Half::First) if half(&escape[6..]) == Some(Half::Second) => 12,
            Some(_) => {
                repaired.push_str(&rest[..at]);
                repaired.push_str(UNKNOWN);
                is_other = true;
                rest = &escape[6..];
                continue;
            }
            // Skips the escaped character.
            None => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&rest[..at + length]);
        rest = &escape[length..];
    }
    repaired.push_str(rest);
    is_other.then_some(repaired)
}

/// Which half of a character an escape is.
#[derive(Debug, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// The half that a text begins with, if it begins with one.
fn half(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_do_not_make_an_answer_unreadable() {
        let check = |written: &str, expected: &str| {
            let read = json(&format!("[\"{written}\"]")).unwrap();
            assert_eq!(read[0], expected, "{written}");
        };
        check("a\\u0000b\\ud83d", "a\0b\u{fffd}");
        check("\\ude00 x", "\u{fffd} x");
        check("\\ud83d\\ud83d\\ude00", "\u{fffd}\u{1f600}");
        check("\\ud83dé\\\\ud83d\\n", "\u{fffd}é\\ud83d\n");
        check("\\uD83D\\u0041", "\u{fffd}A");
        // Invalid JSON stays an error.
        for wrong in ["[\"\\ud83d", "[\"\\u12", "[", "[\"\\"] {
            assert!(json(wrong).is_err(), "{wrong}");
        }
    }
}
