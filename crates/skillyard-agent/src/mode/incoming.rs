//! The calls in an answer that is only text.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{ANSWER, CLOSE, FENCE, OPEN, words};
use crate::message::{AssistantPart, ToolCall};
use crate::provider::Completion;
use crate::settings::ToolMode;
use crate::tool_spec::{ToolSpec, canonical};

/// The answer of a model of this mode that has these tools, with its calls found. `turn` makes their
/// names unique.
pub fn incoming(
    mode: ToolMode,
    tools: &[ToolSpec],
    completion: Completion,
    turn: usize,
) -> Completion {
    if mode.is_native() {
        return completion;
    }
    let mut parts = Vec::new();
    for part in completion.parts {
        match part {
            AssistantPart::Text { text } => {
                let found = match mode {
                    ToolMode::JsonSchema => action(&text, tools),
                    _ => blocks(&text, tools),
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
fn action(text: &str, tools: &[ToolSpec]) -> Vec<AssistantPart> {
    let value: Value = match serde_json::from_str(text.trim()) {
        Ok(value) => value,
        Err(_) => {
            return half_answer(text).map_or_else(|| blocks(text, tools), |text| vec![text]);
        }
    };
    match value.get("action").and_then(Value::as_str) {
        Some(ANSWER) => {
            let text = value.get("text").and_then(Value::as_str);
            vec![AssistantPart::Text {
                text: text.unwrap_or_default().to_owned(),
            }]
        }
        Some(tool) => vec![call(tool, value.get("arguments"))],
        None => blocks(text, tools),
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

/// Text, with calls in `<tool_call>` or in fenced JSON that names a tool. Other JSON is
/// something that the user asked for.
pub(super) fn blocks(text: &str, tools: &[ToolSpec]) -> Vec<AssistantPart> {
    let mut parts = Vec::new();
    let (mut said, mut rest) = (0, text);
    while let Some((before, open, inside, after)) = next_block(rest) {
        let value = serde_json::from_str(inside.trim()).unwrap_or_default();
        if let Some(call) = parse_call(&value).filter(|_| open == OPEN || is_meant(&value, tools)) {
            let at = text.len() - rest.len() + before.len();
            push_text(&mut parts, &text[said..at]);
            parts.push(call);
            said = text.len() - after.len();
        }
        rest = after;
    }
    push_text(&mut parts, &text[said..]);
    parts
}

/// What is before the next block, what opens it, what is inside and what is behind it.
fn next_block(text: &str) -> Option<(&str, &'static str, &str, &str)> {
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
    Some((&text[..at], open, inside, after))
}

/// How long the JSON is that a text starts with; nothing where it starts with none.
fn json_length(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => 0,
    }
}

fn parse_call(value: &Map<String, Value>) -> Option<AssistantPart> {
    let arguments = value.get("arguments").or_else(|| value.get("parameters"))?;
    Some(call(name(value)?, Some(arguments)))
}

fn name(value: &Map<String, Value>) -> Option<&str> {
    let name = value.get("name").or_else(|| value.get("action"));
    name?.as_str()
}

/// Whether JSON that looks like a call is one: of a tool that is there, which it does not describe.
fn is_meant(value: &Map<String, Value>, tools: &[ToolSpec]) -> bool {
    let name = canonical(name(value).unwrap_or_default());
    let is_there = tools
        .iter()
        .any(|tool| tool.name.eq_ignore_ascii_case(name));
    let is_schema = |given: &Value| given["properties"].is_object();
    is_there && !value.get("parameters").is_some_and(is_schema)
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

/// Passes streamed text on until it may be a tool call; the rest waits until the answer is complete.
#[derive(Debug, Default)]
pub(crate) struct ToolCallStreamFilter {
    pending: String,
    blocked: bool,
}

impl ToolCallStreamFilter {
    /// Adds a piece and returns what can be shown.
    pub(crate) fn pass(&mut self, words: &str) -> String {
        self.pending.push_str(words);
        if self.blocked {
            return String::new();
        }
        let mark = [OPEN, FENCE]
            .iter()
            .filter_map(|mark| self.pending.find(mark));
        let end = if let Some(at) = mark.min() {
            self.blocked = true;
            at
        } else {
            // The end may be the beginning of a tag.
            let is_open = |at: &usize| {
                let rest = &self.pending[*at..];
                OPEN.starts_with(rest) || FENCE.starts_with(rest)
            };
            let starts = self.pending.char_indices().map(|(at, _)| at);
            let first = starts.filter(is_open).min();
            first.unwrap_or(self.pending.len())
        };
        self.pending.drain(..end).collect()
    }

    /// The text of the complete answer that was not shown.
    pub(crate) fn rest(self, tools: &[ToolSpec]) -> String {
        let parts = blocks(&self.pending, tools);
        let is_call = |part: &AssistantPart| matches!(part, AssistantPart::Call(_));
        if parts.iter().any(is_call) {
            words(&parts)
        } else {
            self.pending
        }
    }
}
