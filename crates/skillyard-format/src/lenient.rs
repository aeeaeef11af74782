//! JSON of programs that cut text between the two halves of a character, as some in JavaScript do.

use serde_json::Value;

/// Reads JSON; a half of a character that stands alone is shown as one that is not known (U+FFFD).
pub fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match without_halves(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// The same text where each half that stands alone is another escape; nothing where there is none.
fn without_halves(text: &str) -> Option<String> {
    const UNKNOWN: &str = "\\ufffd";
    let (mut mended, mut rest, mut is_other) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        let length = match half(escape) {
            Some(Half::First) if half(&escape[6..]) == Some(Half::Second) => 12,
            Some(_) => {
                mended.push_str(&rest[..at]);
                mended.push_str(UNKNOWN);
                is_other = true;
                rest = &escape[6..];
                continue;
            }
            // What is escaped is passed over with it.
            None => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..at + length]);
        rest = &escape[length..];
    }
    mended.push_str(rest);
    is_other.then_some(mended)
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
        // What is no JSON stays so, and says why.
        for wrong in ["[\"\\ud83d", "[\"\\u12", "[", "[\"\\"] {
            assert!(json(wrong).is_err(), "{wrong}");
        }
    }
}
