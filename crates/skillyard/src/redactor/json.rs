//! The values of a JSON document as it is written, apart from the names of its fields.

use std::borrow::Cow;

/// `text` with everything changed but the names of fields.
pub(super) fn values(text: &str, change: impl Fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    if matches!(change(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    // What is not a string has no room for a secret but as a number.
    while let Some(start) = rest.find('"') {
        let length = end_of_string(&rest[start + 1..]);
        let (between, string) = (&rest[..start], &rest[start..start + 1 + length]);
        rest = &rest[start + 1 + length..];
        result.push_str(&change(between));
        if rest.trim_start().starts_with(':') {
            result.push_str(string);
        } else {
            result.push_str(&change(string));
        }
    }
    result.push_str(&change(rest));
    Cow::Owned(result)
}

/// How many bytes a string has behind its first quote, with the last one.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_stay() {
        fn change(text: &str) -> Cow<'_, str> {
            text.replace("digest", "X").into()
        }
        let text = r#"{"digest" : "a digest \" digest", "x":["digest",{"the_digest":1}]}"#;
        let changed = r#"{"digest" : "a X \" X", "x":["X",{"the_digest":1}]}"#;
        assert_eq!(values(text, change), changed);
        assert_eq!(values("\"digest", change), "\"X");
        let unchanged = values(text, |text| Cow::Borrowed(text));
        assert!(matches!(unchanged, Cow::Borrowed(_)));
    }
}
