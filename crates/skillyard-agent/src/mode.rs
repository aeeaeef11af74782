//! Tools for models that cannot call any.
//!
//! `native` leaves everything to the provider. `json_schema` forces every answer into an object
//! that names a tool or holds the answer, which any server with constrained output can do. `text`
//! asks for a block in the text and looks for it. Either way the session holds real calls and
//! results; only on the way out and in they are turned into text.

use std::fmt::Write as _;

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::message::{AssistantPart, Message, ToolCall, UserPart};
use crate::provider::Completion;
use crate::settings::ToolMode;
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

/// Words on their way to whoever watches, without what may be a call: from there on they wait
/// until the whole answer is understood.
#[derive(Debug, Default)]
pub(crate) struct Curtain {
    held: String,
    fell: bool,
}

impl Curtain {
    /// What can be shown, with these words come.
    pub(crate) fn pass(&mut self, words: &str) -> String {
        self.held.push_str(words);
        if self.fell {
            return String::new();
        }
        let mark = [OPEN, FENCE].iter().filter_map(|mark| self.held.find(mark));
        let end = if let Some(at) = mark.min() {
            self.fell = true;
            at
        } else {
            // The end may be the beginning of a mark.
            let is_open = |at: &usize| {
                let rest = &self.held[*at..];
                OPEN.starts_with(rest) || FENCE.starts_with(rest)
            };
            let starts = self.held.char_indices().map(|(at, _)| at);
            let first = starts.filter(is_open).min();
            first.unwrap_or(self.held.len())
        };
        self.held.drain(..end).collect()
    }

    /// What of an answer, which is understood now, has not been shown.
    pub(crate) fn rest(self, parts: &[AssistantPart]) -> String {
        let first = parts
            .iter()
            .position(|part| matches!(part, AssistantPart::Call(_)));
        let Some(first) = first else {
            return self.held;
        };
        let words = parts[first..].iter().filter_map(|part| match part {
            AssistantPart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        words.collect::<Vec<_>>().join("\n")
    }
}

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

/// The messages as a model of this mode reads them.
pub fn outgoing(mode: ToolMode, messages: Vec<Message>) -> Vec<Message> {
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

/// The answer of a model of this mode, with its calls found. `turn` makes their names unique.
pub fn incoming(mode: ToolMode, completion: Completion, turn: usize) -> Completion {
    if mode.is_native() {
        return completion;
    }
    let mut parts = Vec::new();
    for part in completion.parts {
        match part {
            AssistantPart::Text { text } => {
                let found = match mode {
                    ToolMode::JsonSchema => action(&text),
                    _ => blocks(&text),
                };
                parts.extend(found);
            }
            other => parts.push(other),
        }
    }
    for (at, part) in parts.iter_mut().enumerate() {
        if let AssistantPart::Call(call) = part {
            call.id = format!("call_{turn}_{at}");
        }
    }
    Completion {
        parts,
        ..completion
    }
}

/// One object; what is none is taken as the answer.
fn action(text: &str) -> Vec<AssistantPart> {
    let value: Value = match serde_json::from_str(text.trim()) {
        Ok(value) => value,
        Err(_) => return half_answer(text).map_or_else(|| blocks(text), |text| vec![text]),
    };
    match value.get("action").and_then(Value::as_str) {
        Some(ANSWER) => {
            let text = value.get("text").and_then(Value::as_str);
            vec![AssistantPart::Text {
                text: text.unwrap_or_default().to_owned(),
            }]
        }
        Some(tool) => vec![call(tool, value.get("arguments"))],
        None => blocks(text),
    }
}

/// What there is of an answer that was cut off.
fn half_answer(text: &str) -> Option<AssistantPart> {
    let text = text.trim();
    // The end may lie inside of an escaped letter, which is of six bytes at most.
    let shorter = (0..=6).filter_map(|cut| text.get(..text.len().checked_sub(cut)?));
    let mut whole = shorter.filter_map(|text| {
        let value: Value = serde_json::from_str(&format!("{text}\"}}")).ok()?;
        let is_answer = value.get("action")?.as_str() == Some(ANSWER);
        let text = value.get("text")?.as_str().filter(|_| is_answer)?;
        Some(AssistantPart::Text { text: text.into() })
    });
    whole.next()
}

/// Text, with calls in `<tool_call>` or in fenced JSON that names a tool.
fn blocks(text: &str) -> Vec<AssistantPart> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, inside, after)) = next_block(rest) {
        push_text(&mut parts, before);
        match parse_call(inside) {
            Some(call) => parts.push(call),
            None => push_text(&mut parts, &rest[before.len()..rest.len() - after.len()]),
        }
        rest = after;
    }
    push_text(&mut parts, rest);
    parts
}

fn next_block(text: &str) -> Option<(&str, &str, &str)> {
    let tag = text.find(OPEN).map(|at| (at, OPEN, CLOSE));
    let fence = text.find(FENCE).map(|at| (at, FENCE, "```"));
    let (at, open, close) = match (tag, fence) {
        (Some(tag), Some(fence)) => {
            if tag.0 < fence.0 {
                tag
            } else {
                fence
            }
        }
        (found, other) => found.or(other)?,
    };
    let inside = &text[at + open.len()..];
    // What closes a call may stand in its arguments, too.
    let json = json_length(inside);
    // A model that stops right behind its call need not close it.
    let (inside, after) = match inside[json..].find(close) {
        Some(end) => (&inside[..json + end], &inside[json + end + close.len()..]),
        None => (inside, ""),
    };
    Some((&text[..at], inside, after))
}

/// How long the JSON is that a text starts with; nothing where it starts with none.
fn json_length(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => 0,
    }
}

fn parse_call(inside: &str) -> Option<AssistantPart> {
    let value: Map<String, Value> = serde_json::from_str(inside.trim()).ok()?;
    let name = value
        .get("name")
        .or_else(|| value.get("action"))?
        .as_str()?;
    let arguments = value.get("arguments").or_else(|| value.get("parameters"))?;
    Some(call(name, Some(arguments)))
}

fn call(name: &str, arguments: Option<&Value>) -> AssistantPart {
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "{}".into(),
    };
    AssistantPart::Call(ToolCall {
        id: String::new(),
        name: name.to_owned(),
        arguments,
    })
}

fn push_text(parts: &mut Vec<AssistantPart>, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        parts.push(AssistantPart::Text {
            text: text.to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mode: ToolMode, text: &str) -> String {
        let completion = Completion {
            parts: vec![AssistantPart::Text { text: text.into() }],
            ..Completion::default()
        };
        let parts = incoming(mode, completion, 3).parts;
        let shown = parts.iter().map(|part| match part {
            AssistantPart::Text { text } => format!("text {text}"),
            AssistantPart::Call(call) => format!("{} {} {}", call.id, call.name, call.arguments),
            AssistantPart::Opaque { .. } => "opaque".into(),
        });
        shown.collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn actions_are_calls_or_the_answer() {
        let check = |text, expected: &str| assert_eq!(read(ToolMode::JsonSchema, text), expected);
        check(
            r#"{"action":"skill_load","arguments":{"name":"pdf"}}"#,
            r#"call_3_0 skill_load {"name":"pdf"}"#,
        );
        check(r#"{"action":"answer","text":"Done."}"#, "text Done.");
        check(r#"{"action":"answer","text":"half of \"#, "text half of ");
        check(r#" {"action": "answer", "text": "caf\u00e"#, "text caf");
        check(
            r#"{"action":"Write","text":"half"#,
            r#"text {"action":"Write","text":"half"#,
        );
        check("no object at all", "text no object at all");
        check(r#"{"answer":1}"#, r#"text {"answer":1}"#);
    }

    #[test]
    fn what_may_be_a_call_is_not_shown_before_it_is_understood() {
        for (pieces, shown) in [
            (
                &[
                    "I lo",
                    "ok. <tool",
                    "_call>{\"name\":\"Glob\",\"arguments\":{}}",
                    "</tool_call>",
                ][..],
                "I look. ",
            ),
            (&["a < b and ", "<tool", "s>"][..], "a < b and <tools>"),
            (
                &["```json\n{\"a\":1}\n```", " that is all"][..],
                "```json\n{\"a\":1}\n``` that is all",
            ),
            (&["ends with <"][..], "ends with <"),
        ] {
            let mut curtain = Curtain::default();
            let mut seen: String = pieces.iter().map(|piece| curtain.pass(piece)).collect();
            let completion = Completion {
                parts: vec![AssistantPart::Text {
                    text: pieces.concat(),
                }],
                ..Completion::default()
            };
            seen.push_str(&curtain.rest(&incoming(ToolMode::Text, completion, 0).parts));
            assert_eq!(seen, shown);
        }
    }

    #[test]
    fn calls_are_found_in_text() {
        let check = |text, expected: &str| assert_eq!(read(ToolMode::Text, text), expected);
        check(
            "I look.\n<tool_call>{\"name\":\"Glob\",\"arguments\":{\"pattern\":\"*\"}}</tool_call>",
            "text I look. | call_3_1 Glob {\"pattern\":\"*\"}",
        );
        check(
            "```json\n{\"name\":\"pdf\",\"arguments\":{}}\n```",
            "call_3_0 pdf {}",
        );
        check(
            "<tool_call>{\"name\":\"Read\",\"arguments\":{}}",
            "call_3_0 Read {}",
        );
        // What closes a call may stand in its arguments.
        check(
            "```json\n{\"name\":\"Write\",\"arguments\":{\"content\":\"```sh\\nls\\n```\"}}\n``` done",
            "call_3_0 Write {\"content\":\"```sh\\nls\\n```\"} | text done",
        );
        check("```json\n{\"a\":1}\n```", "text ```json\n{\"a\":1}\n```");
        check(
            "<tool_call>{broken</tool_call>",
            "text <tool_call>{broken</tool_call>",
        );
    }
}
