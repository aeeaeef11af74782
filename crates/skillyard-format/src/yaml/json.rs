//! The tree as JSON.

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
            text => match text.parse::<i64>() {
                Ok(number) if number.to_string() == text => number.into(),
                _ => Json::String(text.to_owned()),
            },
        }
    }
}
