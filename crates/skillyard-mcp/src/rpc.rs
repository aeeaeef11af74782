//! JSON-RPC, as far as MCP uses it.

use serde_json::{Map, Value, json};
use skillyard_format::lossy_json;

use crate::error::McpError;

/// How much of a stranger's error is kept. Less is told, once secrets are gone from it.
const LONGEST_MESSAGE: usize = 4_096;
/// There is no such method.
pub(crate) const NO_METHOD: i64 = -32601;

/// What a server sends.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The answer to a request of ours.
    Response {
        id: u64,
        result: Result<Value, McpError>,
    },
    /// Something it wants from us.
    Request { id: Value, method: String },
    /// Something it tells us.
    Notification { method: String, params: Value },
}

pub(crate) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// The answer to what a server wants: it may look whether we are there, and nothing else.
pub(crate) fn answer(id: &Value, method: &str) -> Value {
    if method == "ping" {
        return json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    }
    let message = "nothing is offered to servers";
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": NO_METHOD, "message": message } })
}

/// Understands a message.
pub(crate) fn read(bytes: &[u8]) -> Result<Incoming, McpError> {
    let unreadable = || McpError::malformed("a message is not JSON");
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable())?;
    let value = lossy_json::json(text).map_err(|_| unreadable())?;
    let Value::Object(mut message) = value else {
        return Err(McpError::malformed("a message is not an object"));
    };
    if let Some(Value::String(method)) = message.remove("method") {
        return Ok(match message.remove("id") {
            None | Some(Value::Null) => Incoming::Notification {
                method,
                params: message.remove("params").unwrap_or_default(),
            },
            Some(id) => Incoming::Request { id, method },
        });
    }
    let id = message.get("id").and_then(Value::as_u64);
    let id = id.ok_or_else(|| McpError::malformed("an answer has no number of ours"))?;
    let result = match (message.remove("result"), message.remove("error")) {
        (Some(result), _) => Ok(result),
        (None, Some(Value::Object(error))) => Err(refused(&error)),
        _ => Err(McpError::malformed(
            "an answer has neither a result nor an error",
        )),
    };
    Ok(Incoming::Response { id, result })
}

fn refused(error: &Map<String, Value>) -> McpError {
    let message = error.get("message").and_then(Value::as_str);
    let message = skillyard_format::text::one_line(message.unwrap_or("no reason"));
    McpError::Refused {
        code: error
            .get("code")
            .and_then(Value::as_i64)
            .unwrap_or_default(),
        message: message.chars().take(LONGEST_MESSAGE).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_told_apart() {
        for text in [
            "",
            "x",
            "[]",
            "7",
            "{}",
            r#"{"id":"a","result":{}}"#,
            r#"{"id":-1,"result":1}"#,
        ] {
            assert!(
                matches!(read(text.as_bytes()), Err(McpError::Malformed { .. })),
                "{text}"
            );
        }
        let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(nested.as_bytes()).is_err());
    }

    #[test]
    fn half_a_character_does_not_make_an_answer_unreadable() {
        let text = r#"{"id":1,"result":{"text":"abc \ud83d"}}"#;
        let Ok(Incoming::Response { id: 1, result }) = read(text.as_bytes()) else {
            panic!("no answer");
        };
        assert_eq!(result.unwrap()["text"], "abc \u{fffd}");
        let silent = McpError::Silent {
            after: std::time::Duration::from_micros(4_999_997),
        };
        assert_eq!(silent.to_string(), "the server did not answer within 5 s");
    }

    #[test]
    fn an_error_is_one_short_line() {
        let text =
            json!({ "id": 1, "error": { "code": -1, "message": "a\n\u{1b}[2Jb".repeat(999) } });
        let Ok(Incoming::Response {
            result: Err(McpError::Refused { message, .. }),
            ..
        }) = read(text.to_string().as_bytes())
        else {
            panic!("no refusal");
        };
        assert!(message.chars().count() <= LONGEST_MESSAGE && !message.contains(char::is_control));
    }
}
