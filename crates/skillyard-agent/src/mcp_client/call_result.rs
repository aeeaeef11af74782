//! The result of a call, as text that a model can read.

use std::fmt::Write as _;

use serde_json::Value;
use skillyard_format::render::foreign;

/// The result of a call.
#[derive(Debug, Clone)]
pub struct CallResult {
    /// Whether the tool reported an error.
    pub is_error: bool,
    /// Its text, within the limit.
    pub text: String,
    /// The result as the server sent it.
    pub raw: Value,
}

impl CallResult {
    /// Renders a result; content that is not text is named and left out.
    pub(super) fn new(raw: Value, max: usize) -> Self {
        let is_error = raw.get("isError").and_then(Value::as_bool) == Some(true);
        let blocks = raw.get("content").and_then(Value::as_array);
        let texts = blocks.into_iter().flatten().map(block);
        let mut text = texts.collect::<Vec<_>>().join("\n");
        if text.is_empty()
            && let Some(structured) = raw.get("structuredContent")
        {
            text = structured.to_string();
        }
        let text = cut(text, max);
        Self {
            is_error,
            text,
            raw,
        }
    }

    /// Removes secrets from an error. The output of a successful call stays unchanged: a secret
    /// variable may be a folder whose content was asked for.
    pub(super) fn redacted(self, redact: &dyn Fn(&str) -> String, max: usize) -> Self {
        if self.is_error {
            Self::new(map_strings(self.raw, redact), max)
        } else {
            self
        }
    }
}

/// Changes every string of a value.
fn map_strings(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(&text).into(),
        Value::Array(all) => all
            .into_iter()
            .map(|each| map_strings(each, change))
            .collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, each)| (key, map_strings(each, change)))
            .collect(),
        plain => plain,
    }
}

/// Marks the output of a tool as untrusted.
pub fn mark_untrusted(server: &str, tool: &str, text: &str) -> String {
    foreign::output(server, tool, text)
}

fn block(block: &Value) -> String {
    let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "text" => text("text").to_owned(),
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            let part = |key: &str| resource.get(key).and_then(Value::as_str);
            match part("text") {
                Some(content) => format!("[{}]\n{content}", part("uri").unwrap_or_default()),
                None => left_out("a file", part("mimeType"), part("blob")),
            }
        }
        "resource_link" => format!("[{}: {}]", text("name"), text("uri")),
        kind @ ("image" | "audio") => {
            let data = block.get("data").and_then(Value::as_str);
            left_out(kind, block.get("mimeType").and_then(Value::as_str), data)
        }
        _ => "[content of another type was left out]".into(),
    }
}

fn left_out(what: &str, media_type: Option<&str>, base64: Option<&str>) -> String {
    let bytes = base64.map_or(0, |data| data.len() / 4 * 3);
    let kind = media_type.unwrap_or("of unknown type");
    format!("[{what} was left out: {kind}, about {bytes} bytes]")
}

fn cut(mut text: String, max: usize) -> String {
    let size = text.len();
    if size > max {
        text.truncate(text.floor_char_boundary(max));
        let _ = write!(text, "\n[cut: {max} of {size} bytes]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(raw: Value, expected: &str) {
        assert_eq!(CallResult::new(raw, 20).text, expected);
    }

    #[test]
    fn blocks_become_text() {
        check(
            json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] }),
            "a\nb",
        );
        check(json!({ "structuredContent": { "a": 1 } }), r#"{"a":1}"#);
        check(json!({ "content": "no list" }), "");
        check(json!(7), "");
        check(
            json!({ "content": [{ "type": "text", "text": "é".repeat(20) }] }),
            &format!("{}\n[cut: 20 of 40 bytes]", "é".repeat(10)),
        );
    }

    #[test]
    fn other_content_is_named() {
        let image =
            json!({ "content": [{ "type": "image", "mimeType": "image/png", "data": "AAAA" }] });
        assert_eq!(
            CallResult::new(image, 99).text,
            "[image was left out: image/png, about 3 bytes]"
        );
    }
}
