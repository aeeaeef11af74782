//! The schema of a tool's arguments as providers take it.
//!
//! Those of models refuse a whole request, and with it the session, for one tool whose schema has no
//! `properties`, or a choice (`anyOf`, `oneOf`, `allOf`, a reference) at its top. What a choice has is
//! put together: the model is told every argument, and the server, which knows the choice, says what
//! does not fit.

use serde_json::{Map, Value, json};

/// What refers to other schemas or excludes values, and may not stand at the top.
const REFUSED: [&str; 6] = ["anyOf", "oneOf", "allOf", "$ref", "not", "enum"];
/// How many parts of a schema are looked into: references may lead to themselves.
const MAX_PARTS: usize = 200;

/// The schema with everything that providers want; `None` when it is not one of an object.
pub(crate) fn of_arguments(schema: Value) -> Option<Value> {
    let Value::Object(mut top) = schema else {
        return None;
    };
    if !may_be_object(&top) {
        return None;
    }
    let whole = Value::Object(top.clone());
    let all = Arguments::of(&top, &whole, &mut { MAX_PARTS });
    top.retain(|key, _| !REFUSED.contains(&key.as_str()));
    top.insert("type".into(), "object".into());
    top.insert("properties".into(), all.properties.into());
    if !all.required.is_empty() || top.contains_key("required") {
        top.insert("required".into(), all.required.into());
    }
    Some(top.into())
}

/// Whether a schema says that it is one of an object, or nothing.
fn may_be_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        None | Some(Value::Null) => true,
        Some(Value::Array(all)) => all.iter().any(|each| each == "object"),
        Some(kind) => kind == "object",
    }
}

/// The arguments that a schema names, wherever it does.
#[derive(Default)]
struct Arguments {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Arguments {
    /// Those of a part of a schema; `left` is how many more parts are looked into.
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
            all.take(part);
        }
        for choice in ["anyOf", "oneOf"] {
            let parts = parts(&mut list(choice));
            // Only what every one of them wants is wanted.
            if let Some((first, others)) = parts.split_first() {
                let is_common =
                    |name: &&String| others.iter().all(|each| each.required.contains(name));
                all.require(first.required.iter().filter(is_common).cloned());
            }
            for part in parts {
                all.take(part);
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

    /// Takes the arguments of a part; one that is there already may be either.
    fn take(&mut self, part: Self) {
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
        assert_eq!(of_arguments(schema).as_ref(), Some(expected));
    }

    #[test]
    fn what_is_missing_is_added() {
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
    fn what_is_no_object_is_refused() {
        for schema in [
            json!([]),
            json!(true),
            json!({ "type": "array" }),
            json!({ "type": ["string"] }),
        ] {
            assert_eq!(of_arguments(schema), None);
        }
    }

    #[test]
    fn choices_are_put_together() {
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
    fn references_that_lead_to_themselves_end() {
        let doubled = json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }], "$ref": "#/none" });
        check(doubled, &json!({ "type": "object", "properties": {} }));
    }
}
