//! JSON-RPC messages, as far as MCP uses them.

use serde_json::{Map, Value, json};
use skillyard_format::lossy_json;

use super::error::McpError;

/// Characters of an error message that are kept; fewer are reported, after redaction.
const MAX_MESSAGE: usize = 4_096;
/// The error code of an unknown method.
const METHOD_NOT_FOUND: i64 = -32601;

/// A message from a server.
#[derive(Debug)]
pub(super) enum Incoming {
    Response {
        id: u64,
        result: Result<Value, McpError>,
    },
    Request {
        id: Value,
        method: String,
    },
    Notification {
        method: String,
        params: Value,
    },
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// The notification that a request was cancelled.
pub(super) fn cancelled(id: u64) -> Value {
    notification(
        "notifications/cancelled",
        &json!({ "requestId": id, "reason": "cancelled by the client" }),
    )
}

/// The answer to a request of the server: `ping` is answered, everything else is refused.
pub(super) fn reply(id: &Value, method: &str) -> Value {
    if method == "ping" {
        return json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    }
    let message = "nothing is offered to servers";
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": METHOD_NOT_FOUND, "message": message } })
}

/// Parses a message.
pub(super) fn parse(bytes: &[u8]) -> Result<Incoming, McpError> {
    let not_json = || McpError::malformed("a message is not JSON");
    let text = std::str::from_utf8(bytes).map_err(|_| not_json())?;
    let value = lossy_json::json(text).map_err(|_| not_json())?;
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
        message: message.chars().take(MAX_MESSAGE).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_messages_are_rejected() {
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
                matches!(parse(text.as_bytes()), Err(McpError::Malformed { .. })),
                "{text}"
            );
        }
        let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(nested.as_bytes()).is_err());
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        let text = r#"{"id":1,"result":{"text":"abc \ud83d"}}"#;
        let Ok(Incoming::Response { id: 1, result }) = parse(text.as_bytes()) else {
            panic!("no answer");
        };
        assert_eq!(result.unwrap()["text"], "abc \u{fffd}");
    }

    #[test]
    fn timeouts_are_rounded() {
        let timeout = McpError::Timeout {
            after: std::time::Duration::from_micros(4_999_997),
        };
        assert_eq!(timeout.to_string(), "the server did not answer within 5 s");
    }

    #[test]
    fn error_messages_are_one_short_line() {
        let text =
            json!({ "id": 1, "error": { "code": -1, "message": "a\n\u{1b}[2Jb".repeat(999) } });
        let Ok(Incoming::Response {
            result: Err(McpError::Refused { message, .. }),
            ..
        }) = parse(text.to_string().as_bytes())
        else {
            panic!("no refusal");
        };
        assert!(message.chars().count() <= MAX_MESSAGE && !message.contains(char::is_control));
    }
}
