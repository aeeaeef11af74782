//! `read-properties` of the reference implementation.

use serde_json::{Map, Value as Json};

use super::{empty, missing, parse_source, python, source_of, text};
use crate::yaml::{Mapping, Node, Value};

/// The properties of a skill as the reference implementation prints them.
#[derive(Debug, Clone, PartialEq)]
pub struct Properties {
    /// The name, trimmed and otherwise as written.
    pub name: String,
    /// The description, trimmed.
    pub description: String,
    /// Every property, in the order it is printed.
    pub fields: Map<String, Json>,
}

impl Properties {
    /// The JSON text that the reference implementation prints.
    pub fn to_json(&self) -> String {
        python::ascii_json(&format!("{:#}", Json::Object(self.fields.clone())))
    }
}

/// The properties, or the message of the error that the reference implementation prints.
pub fn read_properties(content: &str) -> Result<Properties, String> {
    let source = source_of(content)?;
    let fields = parse_source(&source)?;
    for required in ["name", "description"] {
        if fields.get(required).is_none() {
            return Err(missing(required));
        }
    }
    let required = |field: &str| {
        let value = fields.get(field).and_then(|entry| text(&entry.value));
        match value.map(python::strip) {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err(empty(field)),
        }
    };
    let name = required("name")?;
    let description = required("description")?;
    let mut printed = Map::new();
    printed.insert("name".into(), name.clone().into());
    printed.insert("description".into(), description.clone().into());
    for field in ["license", "compatibility", "allowed-tools"] {
        if let Some(entry) = fields.get(field) {
            printed.insert(field.into(), as_text_json(&entry.value));
        }
    }
    if let Some(entry) = fields.get("metadata") {
        let metadata = match &entry.value.value {
            Value::Mapping(mapping) => Json::Object(stringified(mapping)),
            _ => as_text_json(&entry.value),
        };
        let is_empty = match &metadata {
            Json::Object(map) => map.is_empty(),
            Json::Array(items) => items.is_empty(),
            other => other.as_str() == Some(""),
        };
        if !is_empty {
            printed.insert("metadata".into(), metadata);
        }
    }
    Ok(Properties {
        name,
        description,
        fields: printed,
    })
}

/// Every scalar as text, whatever it looks like.
fn as_text_json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.clone().into(),
        Value::Sequence(items) => items.iter().map(as_text_json).collect(),
        Value::Mapping(mapping) => Json::Object(
            mapping
                .entries
                .iter()
                .map(|entry| (entry.key.clone(), as_text_json(&entry.value)))
                .collect(),
        ),
    }
}

/// `{str(k): str(v)}`: what is nested becomes Python's `repr` of it.
fn stringified(mapping: &Mapping) -> Map<String, Json> {
    mapping
        .entries
        .iter()
        .map(|entry| {
            let value = match &entry.value.value {
                Value::Scalar(scalar) => scalar.text.clone(),
                _ => repr(&entry.value),
            };
            (entry.key.clone(), value.into())
        })
        .collect()
}

fn repr(node: &Node) -> String {
    match &node.value {
        Value::Scalar(scalar) => python::repr(&scalar.text),
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(repr).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Mapping(mapping) => {
            let entries: Vec<String> = mapping
                .entries
                .iter()
                .map(|entry| format!("{}: {}", python::repr(&entry.key), repr(&entry.value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
