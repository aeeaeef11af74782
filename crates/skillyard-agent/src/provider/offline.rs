//! No model at all: searches the catalog, loads what fits, shows what a model would get.
//!
//! It calls the same tools as a model does, so everything behind them can be tried, tested and
//! shown anywhere. It says plainly that it is none.

mod requests;

use std::sync::atomic::AtomicBool;

use requests::{ParsedRequest, parse_requests};
use serde_json::{Value, json};

use super::{Completion, Delta, ModelRequest, Provider, ProviderError};
use crate::message::{AssistantPart, CallOutcome, Message, ToolCall, ToolResult, UserPart};
use crate::shelf::MIN_SCORE;

/// Its name.
pub const NAME: &str = "offline";

/// What every answer begins with: nobody shall take it for one of a model.
const NOTICE: &str = "(offline: no model was asked; this is what one would be given)";

/// Most files that are read because a message speaks of resources.
const MAX_RESOURCES: usize = 8;
/// How many files of a skill are read that only its instructions speak of.
const MAX_FILES: usize = 3;

/// No model at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

/// What happened since the user spoke.
struct Turn<'a> {
    text: String,
    /// The envelopes of the session so far, by skill.
    known: Vec<(String, &'a str)>,
    /// Those that the user or a call has just named.
    skills: Vec<NamedSkill<'a>>,
    calls: Vec<&'a ToolCall>,
    results: Vec<&'a ToolResult>,
    /// Whether the message names skills.
    names_skills: bool,
    place: usize,
}

/// A skill that was just named.
struct NamedSkill<'a> {
    name: String,
    envelope: &'a str,
    /// Whether it came with a receipt only, because the session has it already.
    again: bool,
}

impl Provider for Offline {
    fn name(&self) -> &str {
        NAME
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        _cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let turn = Turn::of(request.messages);
        let can_search = request.tools.iter().any(|tool| tool.name == "skill_search");
        let calls = if can_search { turn.next() } else { Vec::new() };
        let parts = if calls.is_empty() {
            let text = turn.answer();
            on(Delta::Text(&text));
            vec![AssistantPart::Text { text }]
        } else {
            calls.into_iter().map(AssistantPart::Call).collect()
        };
        Ok(Completion {
            parts,
            ..Completion::default()
        })
    }
}

impl<'a> Turn<'a> {
    fn of(messages: &'a [Message]) -> Self {
        let is_user = |message: &Message| matches!(message, Message::User { .. });
        let start = messages.iter().rposition(is_user).unwrap_or_default();
        let mut turn = Self {
            text: String::new(),
            known: Vec::new(),
            skills: Vec::new(),
            calls: Vec::new(),
            results: Vec::new(),
            names_skills: false,
            place: messages.len(),
        };
        // A receipt refers to what came before, so older envelopes count, too.
        for (at, message) in messages.iter().enumerate() {
            match message {
                Message::User { parts } => {
                    for part in parts {
                        if let UserPart::Skill { name, text, .. } = part {
                            turn.envelope(name, text, at >= start);
                            turn.names_skills |= at == start;
                        }
                    }
                    if at == start {
                        turn.text = message.words();
                    }
                }
                Message::Assistant { .. } if at >= start => turn.calls.extend(message.calls()),
                Message::Assistant { .. } => {}
                Message::Tool { results } => {
                    if at >= start {
                        turn.results.extend(results);
                    }
                    for result in results.iter().filter(|each| each.name == "skill_load") {
                        let name = attribute(&result.content, "name");
                        if let Some(name) = name.or_else(|| turn.wanted(result)) {
                            turn.envelope(&name, &result.content, at >= start);
                        }
                    }
                }
            }
        }
        turn
    }

    /// The skill that a call of this turn wanted, where its result is a receipt without a name.
    fn wanted(&self, result: &ToolResult) -> Option<String> {
        let call = self.calls.iter().find(|call| call.id == result.id);
        let call = call.filter(|_| result.outcome == CallOutcome::Ok)?;
        let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
        arguments["name"].as_str().map(str::to_owned)
    }

    fn envelope(&mut self, name: &str, text: &'a str, now: bool) {
        let again = !text.starts_with("<skill_content");
        if !again {
            self.known.retain(|(each, _)| each != name);
            self.known.push((name.to_owned(), text));
        }
        let known = self.known.iter().find(|(each, _)| each == name);
        if let (true, Some((_, envelope))) = (now, known) {
            self.skills.push(NamedSkill {
                name: name.to_owned(),
                envelope,
                again,
            });
        }
    }

    /// The calls to make next; none when there is something to say.
    fn next(&self) -> Vec<ToolCall> {
        if !self.skills.is_empty() {
            return self.file_calls();
        }
        let searched = self.result("skill_search");
        let loaded = self.result("skill_load");
        match (searched, loaded) {
            (None, None) if !self.names_skills => {
                vec![self.call(0, "skill_search", &json!({ "query": self.text }))]
            }
            (Some(found), None) => match best(&found.content) {
                Some(name) => vec![self.call(0, "skill_load", &json!({ "name": name }))],
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// What the message says to do with files; all of them are read where it speaks of resources.
    fn file_calls(&self) -> Vec<ToolCall> {
        if self
            .results
            .iter()
            .any(|each| matches!(&*each.name, "skill_read" | "skill_run"))
        {
            return Vec::new();
        }
        let mut calls = Vec::new();
        for NamedSkill { name, envelope, .. } in &self.skills {
            let listed = files(envelope);
            for wish in parse_requests(&self.text, &listed) {
                let (tool, arguments) = match wish {
                    ParsedRequest::Read(path) => {
                        ("skill_read", json!({ "name": name, "path": path }))
                    }
                    ParsedRequest::Run(script, args) => {
                        let arguments = json!({ "name": name, "script": script, "args": args });
                        ("skill_run", arguments)
                    }
                };
                calls.push(self.call(calls.len(), tool, &arguments));
            }
            if calls.is_empty() && self.text.to_ascii_lowercase().contains("resource") {
                for path in listed.iter().take(MAX_RESOURCES) {
                    let arguments = json!({ "name": name, "path": path });
                    calls.push(self.call(calls.len(), "skill_read", &arguments));
                }
            }
        }
        if calls.is_empty() {
            return self.calls_of_instructions();
        }
        calls
    }

    /// Where the message names no file, those are read that the instructions speak of.
    fn calls_of_instructions(&self) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for NamedSkill { name, envelope, .. } in self.skills.iter().filter(|each| !each.again) {
            let body = envelope.rsplit_once("<skill_resources>");
            let body = body.map_or("", |(body, _)| body);
            let spoken_of = files(envelope)
                .into_iter()
                .filter(|path| body.contains(path));
            for path in spoken_of.take(MAX_FILES) {
                let arguments = json!({ "name": name, "path": path });
                calls.push(self.call(calls.len(), "skill_read", &arguments));
            }
        }
        calls
    }

    fn call(&self, at: usize, name: &str, arguments: &Value) -> ToolCall {
        ToolCall {
            id: format!("offline_{}_{at}", self.place),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        }
    }

    fn result(&self, tool: &str) -> Option<&ToolResult> {
        self.results.iter().find(|each| each.name == tool).copied()
    }

    fn answer(&self) -> String {
        let mut sections = vec![NOTICE.to_owned()];
        for NamedSkill { name, envelope, .. } in self.skills.iter().filter(|each| !each.again) {
            sections.push(format!("Skill `{name}`:\n\n{}", instructions(envelope)));
        }
        for (call, result) in self.calls.iter().zip(&self.results) {
            let about: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
            let what = about["path"].as_str().or_else(|| about["script"].as_str());
            let Some(what) = what.filter(|_| result.name != "skill_load") else {
                let is_receipt =
                    result.name == "skill_load" && !result.content.starts_with("<skill_content");
                if result.outcome != CallOutcome::Ok || is_receipt {
                    sections.push(result.content.clone());
                }
                continue;
            };
            sections.push(format!("`{what}`:\n\n{}", result.content.trim_end()));
        }
        if sections.len() == 1 {
            sections.push(if self.names_skills {
                "The skill is in this session already.".into()
            } else {
                "No skill here fits the message. `skillyard list` shows what there is.".into()
            });
        }
        sections.join("\n\n")
    }
}

/// The first skill of a search, unless hardly anything speaks for it.
fn best(found: &str) -> Option<String> {
    let found: Value = serde_json::from_str(found).ok()?;
    let first = &found["skills"][0];
    let score: f32 = first["score"].as_str()?.parse().ok()?;
    let name = first["name"].as_str()?;
    (score >= MIN_SCORE).then(|| name.to_owned())
}

/// The value of an attribute of an envelope; names of skills need no unescaping.
fn attribute(envelope: &str, name: &str) -> Option<String> {
    let head = envelope.strip_prefix("<skill_content ")?.lines().next()?;
    let (_, value) = head.split_once(&format!("{name}=\""))?;
    Some(value.split_once('"')?.0.to_owned())
}

/// The files that an envelope lists.
fn files(envelope: &str) -> Vec<&str> {
    let lines = envelope.lines().map(str::trim);
    let files = lines.filter_map(|line| line.strip_prefix("<file>")?.strip_suffix("</file>"));
    files.collect()
}

/// What is inside an envelope.
fn instructions(envelope: &str) -> &str {
    let inside = envelope.split_once('\n').map_or("", |(_, inside)| inside);
    let inside = inside.strip_suffix("</skill_content>").unwrap_or(inside);
    // What comes behind is for whoever reads files, not for people.
    let body = inside.rsplit_once("\n\nSkill directory: ");
    body.map_or(inside, |(body, _)| body).trim_end()
}
