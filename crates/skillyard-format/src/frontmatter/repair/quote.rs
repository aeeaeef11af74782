//! Text as a quoted YAML scalar.

use std::fmt::Write as _;

use crate::text::is_forbidden;

/// `text` as a one-line YAML scalar in quotes, the plainer kind that can hold it.
pub fn quoted(text: &str) -> String {
    let needs_escapes = text
        .chars()
        .any(|c| c == '\n' || c == '\r' || c == '\t' || is_special(c));
    if !needs_escapes && (!text.contains('\'') || text.contains(['"', '\\'])) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for c in text.chars() {
        match c {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            // Every special character is in the first plane, so four digits do.
            c if is_special(c) => {
                let _ = write!(result, "\\u{:04X}", u32::from(c));
            }
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

/// Whether a character must be escaped to stand inside quotes on one line.
fn is_special(c: char) -> bool {
    is_forbidden(c) || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;
    use proptest::prelude::*;

    #[test]
    fn the_plainer_quotes_are_chosen() {
        assert_eq!(quoted("a: b"), "'a: b'");
        assert_eq!(quoted("it's: so"), "\"it's: so\"");
        assert_eq!(quoted("it's \"so\""), "'it''s \"so\"'");
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
    }

    proptest! {
        #[test]
        fn quoted_text_reads_back(text in "\\PC*|[\\x00-\\x7f]*") {
            let source = format!("k: {}\n", quoted(&text));
            let tree = yaml::parse(&source, 0).expect("quoted text is valid");
            let root = tree.root.unwrap();
            prop_assert_eq!(root.as_mapping().unwrap().entries[0].value.as_str(), Some(text.as_str()));
        }
    }
}
