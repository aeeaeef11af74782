//! What came of a call, as text that a model can read.

use std::fmt::Write as _;

use serde_json::Value;
use skillyard_format::render::foreign;

/// How a call ended, in the server's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It worked.
    Done,
    /// The tool failed.
    Failed,
}

/// What came of a call.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Its text, within the limit.
    pub text: String,
    /// The result as the server gave it.
    pub raw: Value,
}

impl Outcome {
    /// Understands a result; whatever is not text is named and left out.
    pub(crate) fn of(raw: Value, most: usize) -> Self {
        let ending = match raw.get("isError").and_then(Value::as_bool) {
            Some(true) => Ending::Failed,
            _ => Ending::Done,
        };
        let blocks = raw.get("content").and_then(Value::as_array);
        let texts = blocks.into_iter().flatten().map(block);
        let mut text = texts.collect::<Vec<_>>().join("\n");
        if text.is_empty()
            && let Some(structured) = raw.get("structuredContent")
        {
            text = structured.to_string();
        }
        let text = cut(text, most);
        Self { ending, text, raw }
    }

    /// The same, without what nobody may read where the tool tells of a failure. What it gave is as
    /// it was: a variable may be a folder, and what lies there is what was asked for.
    pub(crate) fn redacted(self, redact: &dyn Fn(&str) -> String, most: usize) -> Self {
        match self.ending {
            Ending::Done => self,
            Ending::Failed => Self::of(texts(self.raw, redact), most),
        }
    }
}

/// A value whose texts were changed.
fn texts(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(&text).into(),
        Value::Array(all) => all.into_iter().map(|each| texts(each, change)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, each)| (key, texts(each, change)))
            .collect(),
        plain => plain,
    }
}

/// A result, marked as the text of a stranger.
pub fn marked(server: &str, tool: &str, text: &str) -> String {
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
        _ => "[something that is no text was left out]".into(),
    }
}

fn left_out(what: &str, media_type: Option<&str>, base64: Option<&str>) -> String {
    let bytes = base64.map_or(0, |data| data.len() / 4 * 3);
    let kind = media_type.unwrap_or("of unknown type");
    format!("[{what} was left out: {kind}, about {bytes} bytes]")
}

fn cut(mut text: String, most: usize) -> String {
    let size = text.len();
    if size > most {
        text.truncate(text.floor_char_boundary(most));
        let _ = write!(text, "\n[cut: {most} of {size} bytes]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(raw: Value, expected: &str) {
        assert_eq!(Outcome::of(raw, 20).text, expected);
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
    fn what_is_no_text_is_named() {
        let image =
            json!({ "content": [{ "type": "image", "mimeType": "image/png", "data": "AAAA" }] });
        assert_eq!(
            Outcome::of(image, 99).text,
            "[image was left out: image/png, about 3 bytes]"
        );
    }
}
