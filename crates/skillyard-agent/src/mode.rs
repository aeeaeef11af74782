//! Tools for models that cannot call any.
//!
//! `native` leaves everything to the provider. `json_schema` forces every answer into an object
//! that names a tool or holds the answer, which any server with constrained output can do. `text`
//! asks for a block in the text and looks for it. Either way the session holds real calls and
//! results; only on the way out and in they are turned into text.

mod curtain;
mod incoming;
mod marks;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde_json::{Value, json};

pub(crate) use curtain::Curtain;
pub use incoming::incoming;
pub(crate) use marks::RULE as MARKS;

use crate::message::{AssistantPart, Message, UserPart};
use crate::settings::{Results, Settings, ToolMode};
use crate::tool::ToolSpec;

/// The action that is no tool.
const ANSWER: &str = "answer";
/// What stands behind results. Small models take them for the end of the task, or go on calling.
const GO_ON: &str = "Answer the user if this is enough; otherwise call the next tool.";
/// Where a call begins and ends in text.
const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
/// Where JSON begins that may be a call.
const FENCE: &str = "```json";

/// What the system prompt says about calling tools.
pub fn instructions(mode: ToolMode, tools: &[ToolSpec]) -> Option<String> {
    if mode.is_native() || tools.is_empty() {
        return None;
    }
    let mut text = String::from("You have these tools:\n");
    for tool in tools {
        let line = json!({ "name": tool.name, "parameters": tool.parameters["properties"] });
        let _ = writeln!(text, "- {}: {} {line}", tool.name, tool.description);
    }
    text.push_str(match mode {
        ToolMode::JsonSchema => {
            "Answer with one JSON object. To call a tool: {\"action\": \"TOOL\", \"arguments\": \
             {…}}. When you are done: {\"action\": \"answer\", \"text\": \"…\"}. Results come in \
             the next message."
        }
        _ => {
            "To call a tool, write a line <tool_call>{\"name\": \"TOOL\", \"arguments\": \
             {…}}</tool_call> and stop. Results come in the next message. Without such a line \
             your text is the answer."
        }
    });
    Some(text)
}

/// The shape of an answer, where a mode needs one.
pub fn shape(mode: ToolMode, tools: &[ToolSpec]) -> Option<Value> {
    if mode != ToolMode::JsonSchema || tools.is_empty() {
        return None;
    }
    let call = tools.iter().map(|tool| {
        json!({
            "type": "object",
            "properties": { "action": { "const": tool.name }, "arguments": tool.parameters },
            "required": ["action", "arguments"],
            "additionalProperties": false,
        })
    });
    let mut shapes: Vec<Value> = call.collect();
    shapes.push(json!({
        "type": "object",
        "properties": { "action": { "const": ANSWER }, "text": { "type": "string" } },
        "required": ["action", "text"],
        "additionalProperties": false,
    }));
    Some(json!({ "anyOf": shapes }))
}

/// The messages as a model of these settings reads them.
pub fn outgoing(settings: &Settings, mut messages: Vec<Message>) -> Vec<Message> {
    let mode = settings.tool_mode;
    if settings.results == Results::Marked {
        let results = messages.iter_mut().filter_map(|message| match message {
            Message::Tool { results } => Some(results),
            _ => None,
        });
        for result in results.flatten() {
            result.content = marks::content(mode, result);
        }
    }
    if mode.is_native() {
        return messages;
    }
    let turned = messages.into_iter().map(|message| match message {
        Message::Assistant { parts } => Message::Assistant {
            parts: parts.into_iter().map(|part| as_text(mode, part)).collect(),
        },
        Message::Tool { results } => Message::User {
            parts: results
                .into_iter()
                .map(|result| UserPart::Note {
                    text: format!("Result of {}:\n{}", result.name, result.content),
                })
                .chain([UserPart::Note {
                    text: GO_ON.to_owned(),
                }])
                .collect(),
        },
        user @ Message::User { .. } => user,
    });
    turned.collect()
}

/// The words of an answer whose calls were found in it.
pub(crate) fn words(parts: &[AssistantPart]) -> String {
    let words = parts.iter().filter_map(|part| match part {
        AssistantPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

fn as_text(mode: ToolMode, part: AssistantPart) -> AssistantPart {
    let text = match (mode, part) {
        (ToolMode::JsonSchema, AssistantPart::Call(call)) => {
            json!({ "action": call.name, "arguments": object(&call.arguments) }).to_string()
        }
        (ToolMode::JsonSchema, AssistantPart::Text { text }) => {
            json!({ "action": ANSWER, "text": text }).to_string()
        }
        (_, AssistantPart::Call(call)) => {
            let call = json!({ "name": call.name, "arguments": object(&call.arguments) });
            format!("{OPEN}{call}{CLOSE}")
        }
        (_, other) => return other,
    };
    AssistantPart::Text { text }
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!({}))
}
