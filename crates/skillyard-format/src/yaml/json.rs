//! The tree as JSON, and text that other YAML readers do not take for text.

use serde_json::{Map, Value as Json};

use super::{Mapping, Node, Scalar, ScalarStyle, Value};

impl Mapping {
    /// Every field as JSON, in order; the last of a repeated key wins.
    ///
    /// Scalars stay text as the author wrote them (`yes`, `1.0`, `2024-01-01`), except
    /// that unquoted `true`, `false`, `null` and integers have the JSON value that is
    /// spelled the same.
    pub fn to_json(&self) -> Map<String, Json> {
        let mut map = Map::with_capacity(self.entries.len());
        for entry in &self.entries {
            map.insert(entry.key.clone(), entry.value.to_json());
        }
        map
    }
}

impl Node {
    /// This value as JSON, by the rules of [`Mapping::to_json`].
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar(scalar) => scalar.to_json(),
            Value::Sequence(items) => items.iter().map(Node::to_json).collect(),
            Value::Mapping(mapping) => Json::Object(mapping.to_json()),
        }
    }
}

impl Scalar {
    fn to_json(&self) -> Json {
        if self.style != ScalarStyle::Plain {
            return Json::String(self.text.clone());
        }
        match self.text.as_str() {
            "" | "null" | "~" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            text => integer(text).map_or_else(|| text.into(), Json::from),
        }
    }
}

/// The integer that is written exactly as JSON would write it.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = digits == "0" && !text.starts_with('-')
        || digits.starts_with(|c: char| ('1'..='9').contains(&c));
    if canonical { text.parse().ok() } else { None }
}

/// Whether YAML 1.1 or 1.2 reads this plain text as something other than text.
pub fn is_typed(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let unsigned = lower.strip_prefix(['-', '+']).unwrap_or(&lower);
    let word = matches!(
        lower.as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "~" | ".nan"
    ) || unsigned == ".inf";
    let number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.replace('_', "").parse::<f64>().is_ok();
    let date = text.len() >= 8
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.splitn(3, '-').count() == 3
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"-:TZ .+".contains(&byte));
    word || number || date || is_in_base(unsigned) || is_sexagesimal(unsigned)
}

/// Whether it is a number such as `0x1f`, `0o17` or `0b11`.
fn is_in_base(text: &str) -> bool {
    [("0x", 16), ("0o", 8), ("0b", 2)]
        .iter()
        .any(|(mark, base)| {
            let digits = text.strip_prefix(mark).unwrap_or_default();
            let mut letters = digits.chars().filter(|c| *c != '_').peekable();
            letters.peek().is_some() && letters.all(|c| c.is_digit(*base))
        })
}

/// Whether it is a number to the base of 60, as YAML 1.1 has it: `1:30`.
fn is_sexagesimal(text: &str) -> bool {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let Some((first, rest)) = whole.split_once(':') else {
        return false;
    };
    let is_number = |part: &str| {
        part.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_')
    };
    let is_sixtieth =
        |part: &str| part.len() <= 2 && part.parse::<u8>().is_ok_and(|value| value < 60);
    first.starts_with(|c: char| c.is_ascii_digit())
        && is_number(first)
        && rest.split(':').all(is_sixtieth)
        && text
            .strip_prefix(whole)
            .is_none_or(|rest| is_number(rest.trim_start_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::is_typed;

    #[test]
    fn what_some_reader_takes_for_something_else_is_typed() {
        for text in [
            "1.10",
            "1e3",
            "-7",
            "1_000",
            "0x1F",
            "-0x1f",
            "0b11",
            "0o17",
            "-.INF",
            ".nan",
            "1:30",
            "12:30:45",
            "1:30.5",
            "2024-01-15",
            "yes",
            "Null",
            "~",
        ] {
            assert!(is_typed(text), "{text}");
        }
        for text in [
            "1.2.3", "v1", "0xyz", "0b12", "0x", "a:30", "1:99", "1:", ":30", "1:30pm", "12:345",
            "acme", "1-2", "0o18", "infinite",
        ] {
            assert!(!is_typed(text), "{text}");
        }
    }
}
