//! Messages as Anthropic reads them.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use skillyard_format::Digest;

use crate::message::{AssistantPart, CallOutcome, Message, UserPart};

/// Most bytes of the id of a call.
const MAX_CALL_ID: usize = 64;

/// Roles take turns, and results come first in the message behind their calls.
pub(super) fn messages(all: &[Message], owner: &str) -> Vec<Value> {
    let mut merged: Vec<(&str, Vec<Value>)> = Vec::new();
    for each in all {
        let (role, content) = match each {
            Message::User { parts } => {
                let texts = parts.iter().map(UserPart::text);
                let texts = texts.filter(|text| !text.is_empty());
                (
                    "user",
                    texts
                        .map(|text| json!({ "type": "text", "text": text }))
                        .collect(),
                )
            }
            Message::Assistant { parts } => (
                "assistant",
                parts
                    .iter()
                    .filter_map(|part| assistant(part, owner))
                    .collect::<Vec<_>>(),
            ),
            Message::Tool { results } => {
                let results = results.iter().map(|result| {
                    json!({
                        "type": "tool_result",
                        "tool_use_id": id(&result.id),
                        "content": result.content,
                        "is_error": result.outcome != CallOutcome::Ok,
                    })
                });
                ("user", results.collect())
            }
        };
        if content.is_empty() {
            continue;
        }
        match merged.last_mut() {
            Some((last, blocks)) if *last == role => blocks.extend(content),
            _ => merged.push((role, content)),
        }
    }
    // The next request begins with all of this one.
    if let Some(block) = merged.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    let messages = merged.into_iter();
    messages
        .map(|(role, content)| json!({ "role": role, "content": content }))
        .collect()
}

fn assistant(part: &AssistantPart, owner: &str) -> Option<Value> {
    match part {
        AssistantPart::Text { text } if text.trim().is_empty() => None,
        AssistantPart::Text { text } => Some(json!({ "type": "text", "text": text })),
        AssistantPart::Call(call) => {
            let input: Map<String, Value> =
                serde_json::from_str(&call.arguments).unwrap_or_default();
            Some(
                json!({ "type": "tool_use", "id": id(&call.id), "name": call.name, "input": input }),
            )
        }
        AssistantPart::Opaque { provider, json } if provider == owner => {
            serde_json::from_str(json).ok()
        }
        AssistantPart::Opaque { .. } => None,
    }
}

/// The id of a call as this server takes it; a model that had the session before may have had
/// others.
fn id(own: &str) -> Cow<'_, str> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if own.len() <= MAX_CALL_ID && own.bytes().all(fits) {
        return Cow::Borrowed(own);
    }
    Cow::Owned(format!(
        "call_{}",
        &Digest::of(own.as_bytes()).to_hex()[..32]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_other_servers_are_ids_here() {
        assert_eq!(id("toolu_01-a"), "toolu_01-a");
        let long = "x".repeat(MAX_CALL_ID + 1);
        for other in ["functions.skill_load:0", "functions.skill_load.0", &long] {
            let own = id(other);
            assert!(own.starts_with("call_") && own.len() == 37, "{own}");
            assert_eq!(id(&own), own);
        }
        assert_ne!(id("functions.a:0"), id("functions.a.0"));
    }
}
