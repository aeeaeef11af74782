//! The tree as JSON.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value as Json};

use super::{Mapping, Node, Scalar, ScalarStyle, Value};

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

/// Writes the same JSON as [`Mapping::to_json`] without building it first.
impl Serialize for Mapping<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (at, entry) in self.entries.iter().enumerate() {
            // The last of a repeated key wins, in the place of the first.
            let repeated = self.entries[..at]
                .iter()
                .any(|earlier| earlier.key == entry.key);
            if !repeated && let Some(last) = self.get(&entry.key) {
                map.serialize_entry(&entry.key, &last.value)?;
            }
        }
        map.end()
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Scalar(scalar) => match scalar.typed() {
                Typed::Null => serializer.serialize_unit(),
                Typed::Bool(value) => serializer.serialize_bool(value),
                Typed::Integer(value) => serializer.serialize_i64(value),
                Typed::Text(text) => serializer.serialize_str(text),
            },
            Value::Sequence(items) => serializer.collect_seq(items),
            Value::Mapping(mapping) => mapping.serialize(serializer),
        }
    }
}
