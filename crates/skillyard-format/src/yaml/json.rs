//! The tree as JSON.

use serde_json::{Map, Value as Json};

use super::{Mapping, Node, Scalar, ScalarStyle, Value};
use crate::text::any_byte;

impl Mapping<'_> {
    /// Every field as JSON, in order; the last of a repeated key wins.
    ///
    /// Scalars stay text as the author wrote them (`yes`, `1.0`, `2024-01-01`), except
    /// that unquoted `true`, `false`, `null` and integers have the JSON value that is
    /// spelled the same.
    pub fn to_json(&self) -> Map<String, Json> {
        let mut map = Map::with_capacity(self.entries.len());
        for entry in &self.entries {
            map.insert(entry.key.clone().into_owned(), entry.value.to_json());
        }
        map
    }
}

impl Node<'_> {
    /// This value as JSON, by the rules of [`Mapping::to_json`].
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar(scalar) => scalar.to_json(),
            Value::Sequence(items) => items.iter().map(Node::to_json).collect(),
            Value::Mapping(mapping) => Json::Object(mapping.to_json()),
        }
    }
}

/// What a scalar is in JSON.
enum Typed<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Text(&'a str),
}

impl Scalar<'_> {
    fn typed(&self) -> Typed<'_> {
        if self.style != ScalarStyle::Plain {
            return Typed::Text(&self.text);
        }
        match &*self.text {
            "" | "null" | "~" => Typed::Null,
            "true" => Typed::Bool(true),
            "false" => Typed::Bool(false),
            text => match integer(text) {
                Some(number) => Typed::Integer(number),
                None => Typed::Text(text),
            },
        }
    }

    fn to_json(&self) -> Json {
        match self.typed() {
            Typed::Null => Json::Null,
            Typed::Bool(value) => Json::Bool(value),
            Typed::Integer(value) => value.into(),
            Typed::Text(text) => Json::String(text.to_owned()),
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

impl Mapping<'_> {
    /// The text of [`Mapping::to_json`], written without building that first.
    pub fn to_json_text(&self) -> String {
        let mut text = String::with_capacity(256);
        self.push_json(&mut text);
        text
    }

    fn push_json(&self, out: &mut String) {
        out.push('{');
        let has_repeated = self.duplicates().next().is_some();
        let mut separator = "";
        for (at, entry) in self.entries.iter().enumerate() {
            let mut value = &entry.value;
            if has_repeated {
                // The last of a repeated key wins, in the place of the first.
                let earlier = &self.entries[..at];
                if earlier.iter().any(|earlier| earlier.key == entry.key) {
                    continue;
                }
                value = self.get(&entry.key).map_or(value, |last| &last.value);
            }
            out.push_str(separator);
            push_text(out, &entry.key);
            out.push(':');
            value.push_json(out);
            separator = ",";
        }
        out.push('}');
    }
}

impl Node<'_> {
    fn push_json(&self, out: &mut String) {
        match &self.value {
            Value::Scalar(scalar) => match scalar.typed() {
                Typed::Null => out.push_str("null"),
                Typed::Bool(true) => out.push_str("true"),
                Typed::Bool(false) => out.push_str("false"),
                // It is written as JSON writes it, or it would be text.
                Typed::Integer(_) => out.push_str(&scalar.text),
                Typed::Text(text) => push_text(out, text),
            },
            Value::Sequence(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.push_json(out);
                }
                out.push(']');
            }
            Value::Mapping(mapping) => mapping.push_json(out),
        }
    }
}

fn push_text(out: &mut String, text: &str) {
    if any_byte(text, |byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&Json::from(text).to_string());
    } else {
        out.reserve(text.len() + 2);
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}
