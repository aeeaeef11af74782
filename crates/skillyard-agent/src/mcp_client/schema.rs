//! The schema of a tool's arguments in the form that model providers accept.
//!
//! Providers reject a whole request if the schema of one tool has no `properties`, or a choice
//! (`anyOf`, `oneOf`, `allOf`, a reference) at its top level. The alternatives of a choice are merged:
//! the model sees every argument, and the server rejects combinations that its choice does not allow.

use serde_json::{Map, Value, json};

/// Keywords that providers reject at the top level.
const REJECTED: [&str; 6] = ["anyOf", "oneOf", "allOf", "$ref", "not", "enum"];
/// Parts of a schema that are visited; references may be circular.
const MAX_PARTS: usize = 200;

/// Converts a schema; `None` if it does not describe an object.
pub(super) fn argument_schema(schema: Value) -> Option<Value> {
    let Value::Object(mut top) = schema else {
        return None;
    };
    if !may_be_object(&top) {
        return None;
    }
    let whole = Value::Object(top.clone());
    let all = Arguments::of(&top, &whole, &mut { MAX_PARTS });
    top.retain(|key, _| !REJECTED.contains(&key.as_str()));
    top.insert("type".into(), "object".into());
    top.insert("properties".into(), all.properties.into());
    if !all.required.is_empty() || top.contains_key("required") {
        top.insert("required".into(), all.required.into());
    }
    Some(top.into())
}

/// Whether the type of a schema is missing or `object`.
fn may_be_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        None | Some(Value::Null) => true,
        Some(Value::Array(all)) => all.iter().any(|each| each == "object"),
        Some(kind) => kind == "object",
    }
}

/// The arguments of a schema and of its parts.
#[derive(Default)]
struct Arguments {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Arguments {
    /// Collects the arguments; `left` is the number of parts that may still be visited.
    fn of(schema: &Map<String, Value>, whole: &Value, left: &mut usize) -> Self {
        let mut all = Self::default();
        if let Some(Value::Object(properties)) = schema.get("properties") {
            all.properties.clone_from(properties);
        }
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        all.require(required.map(str::to_owned));
        let meant = schema.get("$ref").and_then(Value::as_str);
        let meant = meant.and_then(|meant| whole.pointer(meant.strip_prefix('#')?));
        let list = |key: &str| {
            schema
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let mut parts = |list: &mut dyn Iterator<Item = &Value>| -> Vec<Self> {
            let inner = |each: &Value| {
                *left = left.checked_sub(1)?;
                Some(Self::of(each.as_object()?, whole, left))
            };
            list.filter_map(inner).collect()
        };
        for part in parts(&mut meant.into_iter().chain(list("allOf"))) {
            all.require(part.required.iter().cloned());
            all.merge(part);
        }
        for choice in ["anyOf", "oneOf"] {
            let parts = parts(&mut list(choice));
            // Only what every alternative requires is required.
            if let Some((first, others)) = parts.split_first() {
                let is_common =
                    |name: &&String| others.iter().all(|each| each.required.contains(name));
                all.require(first.required.iter().filter(is_common).cloned());
            }
            for part in parts {
                all.merge(part);
            }
        }
        all
    }

    fn require(&mut self, names: impl Iterator<Item = String>) {
        for name in names {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
    }

    /// Merges the arguments of a part; one that exists already may be either.
    fn merge(&mut self, part: Self) {
        for (name, schema) in part.properties {
            match self.properties.get_mut(&name) {
                None => {
                    self.properties.insert(name, schema);
                }
                Some(known) if *known == schema => {}
                Some(known) => {
                    let mut either = match known.get_mut("anyOf").map(Value::take) {
                        Some(Value::Array(all)) => all,
                        _ => vec![known.take()],
                    };
                    if !either.contains(&schema) {
                        either.push(schema);
                    }
                    *known = json!({ "anyOf": either });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: Value, expected: &Value) {
        assert_eq!(argument_schema(schema).as_ref(), Some(expected));
    }

    #[test]
    fn missing_parts_are_added() {
        let nothing = json!({ "type": "object", "properties": {} });
        check(json!({}), &nothing);
        check(json!({ "type": "object" }), &nothing);
        check(json!({ "type": ["object", "null"] }), &nothing);
        check(json!({ "properties": null, "type": "object" }), &nothing);
        let whole = json!({
            "type": "object", "properties": { "a": { "anyOf": [{ "type": "string" }, {}] } },
            "required": ["a"], "additionalProperties": false, "$defs": { "x": {} },
        });
        check(whole.clone(), &whole);
    }

    #[test]
    fn other_types_are_rejected() {
        for schema in [
            json!([]),
            json!(true),
            json!({ "type": "array" }),
            json!({ "type": ["string"] }),
        ] {
            assert_eq!(argument_schema(schema), None);
        }
    }

    #[test]
    fn choices_are_merged() {
        let text = json!({ "type": "string" });
        let number = json!({ "type": "integer" });
        check(
            json!({ "anyOf": [
                { "type": "object", "properties": { "k": { "const": 1 }, "a": text }, "required": ["k", "a"] },
                { "type": "object", "properties": { "k": { "const": 2 }, "b": text }, "required": ["k"] },
                { "type": "object", "properties": { "k": { "const": 3 } }, "required": ["k"] },
            ] }),
            &json!({
                "type": "object",
                "properties": {
                    "k": { "anyOf": [{ "const": 1 }, { "const": 2 }, { "const": 3 }] },
                    "a": text, "b": text,
                },
                "required": ["k"],
            }),
        );
        check(
            json!({
                "type": "object", "properties": { "a": text, "b": text }, "required": [],
                "oneOf": [{ "required": ["a"] }, { "required": ["b"] }], "not": { "required": ["c"] },
            }),
            &json!({ "type": "object", "properties": { "a": text, "b": text }, "required": [] }),
        );
        check(
            json!({
                "$ref": "#/definitions/one",
                "definitions": { "one": { "allOf": [
                    { "properties": { "a": text }, "required": ["a"] },
                    { "properties": { "b": number }, "required": ["b"] },
                ] } },
            }),
            &json!({
                "type": "object", "properties": { "a": text, "b": number }, "required": ["a", "b"],
                "definitions": { "one": { "allOf": [
                    { "properties": { "a": text }, "required": ["a"] },
                    { "properties": { "b": number }, "required": ["b"] },
                ] } },
            }),
        );
    }

    #[test]
    fn circular_references_end() {
        let doubled = json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }], "$ref": "#/none" });
        check(doubled, &json!({ "type": "object", "properties": {} }));
    }
}
