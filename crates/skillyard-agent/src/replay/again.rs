//! A session on its way to being made again, message by message.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde_json::{Map, Value};
use skillyard_format::Digest;
use skillyard_format::name::known_as;

use super::{Divergence, Recorded, Replayed, STARTED};
use crate::message::{Message, ToolCall, ToolResult, UserPart};
use crate::mode;
use crate::prompt::Prompt;
use crate::session::{INTERRUPTED, Session};
use crate::settings::ToolMode;
use crate::shelf::{Caller, InstalledSkill, Shelf};
use crate::tool::{
    CAME_EMPTY, LENT, Output, SEARCH, answer, has, logged, parse_arguments, receive, unmarked,
};
use crate::tool_spec::ToolSpec;
use crate::turn::{
    NOT_MADE, TOO_MANY, build_request, is_own_answer, request_digest, visible_messages,
};

/// The events between two turns.
const RELEASED: &str = "skill.released";
const MODEL_CHANGED: &str = "session.model_changed";

/// What has been made again so far.
pub(super) struct Replay<'a> {
    pub(super) shelf: &'a mut Shelf,
    /// The session so far, made again.
    pub(super) again: Session,
    /// The models that the session had.
    pub(super) models: ModelTimeline,
    pub(super) events: VecDeque<Recorded>,
    pub(super) done: Replayed,
}

impl Replay<'_> {
    fn number(&self) -> usize {
        self.again.messages.len() + 1
    }

    pub(super) fn begin(&mut self, session: &Session) -> Result<(), Divergence> {
        let event = self.expect(STARTED, |_| true)?;
        // What servers lend is theirs to change; the log vouches for what it was.
        let lent = session.prompt.tools.iter();
        let lent = lent.filter(|tool| tool.name.starts_with(LENT));
        let lent: Vec<ToolSpec> = lent.cloned().collect();
        // A copy may have begun with another model than the session had that it was copied from.
        let said = event.detail.get("model");
        self.models.begin(self.again.messages.len(), said);
        self.again.prompt = self.models.prompt(session);
        let (said, settings) = (event.detail.get("catalog"), &self.again.prompt.settings);
        self.shelf.turn_to(0, None);
        let mut prompt = Prompt::with_lent(self.shelf, settings, lent.clone());
        // It may have been told of what the store does not have.
        let mut number = 1;
        while said != Some(&prompt.catalog) && self.shelf.turn_to(number, None) {
            prompt = Prompt::with_lent(self.shelf, settings, lent.clone());
            number += 1;
        }
        if said != Some(&prompt.catalog) {
            self.shelf.turn_to(0, None);
            let then = session.prompt.skills.iter();
            let is_gone = |name: &&String| !prompt.skills.contains(name);
            let is_other = |(name, then): &(&String, &InstalledSkill)| {
                self.shelf.digest(name).is_ok_and(|now| now != then.digest)
            };
            let others = session.prompt.installed.iter().filter(is_other);
            return Err(Divergence::Catalog {
                gone: then.filter(is_gone).cloned().collect(),
                changed: others.map(|(name, _)| name.clone()).collect(),
            });
        }
        let said = event.detail.get("prompt");
        for digest in [self.again.prompt.digest(), prompt.digest()] {
            if said != Some(&digest.to_string()) {
                return Err(Divergence::Prompt { place: event.place });
            }
        }
        Ok(())
    }

    /// Another model goes on.
    fn hand_over(&mut self, event: &Recorded) -> Result<(), Divergence> {
        let prompt = self.models.next(&self.again.prompt);
        let prompt = prompt.filter(|prompt| {
            let digest = prompt.digest().to_string();
            event.detail.get("model") == Some(&prompt.settings.model)
                && event.detail.get("prompt") == Some(&digest)
        });
        self.again.prompt = prompt.ok_or(Divergence::Prompt { place: event.place })?;
        Ok(())
    }

    pub(super) fn message(&mut self, message: &Message) -> Result<(), Divergence> {
        let asked = self.requests()?;
        match message {
            Message::User { parts } => {
                self.between_turns()?;
                for part in parts {
                    self.part(part)?;
                }
            }
            Message::Assistant { .. } if asked || is_own_answer(&message.words()) => {}
            Message::Assistant { .. } => return Err(self.missing("request")),
            Message::Tool { results } => {
                let calls: Vec<ToolCall> = match self.again.messages.last() {
                    Some(last) => last.calls().into_iter().cloned().collect(),
                    None => Vec::new(),
                };
                for (at, result) in results.iter().enumerate() {
                    let call = calls.get(at).filter(|call| call.id == result.id);
                    self.result(call, result)?;
                }
            }
        }
        self.again.messages.push(message.clone());
        self.done.messages += 1;
        Ok(())
    }

    /// Compares the requests that were made at this point; tells whether there were any.
    pub(super) fn requests(&mut self) -> Result<bool, Divergence> {
        let here = self.again.messages.len().to_string();
        let mut asked = false;
        while let Some(event) = self.events.front() {
            let is_here = event.detail.get("messages") == Some(&here);
            if event.kind != "session.prompted" || !is_here {
                break;
            }
            // What was found out of the model's context and answers decides what it was sent.
            let context = event.detail.get("context");
            self.again.state.context = context.and_then(|tokens| tokens.parse().ok());
            let answer = event.detail.get("answer");
            self.again.state.answer = answer.and_then(|tokens| tokens.parse().ok());
            let messages = visible_messages(&mut self.again);
            let settings = &self.again.prompt.settings;
            let shape = mode::shape(settings.tool_mode, &self.again.prompt.tools);
            let made =
                request_digest(&build_request(&self.again, &messages, shape.as_ref())).to_string();
            if event.detail.get("request") != Some(&made) {
                return Err(Divergence::Request {
                    message: self.number(),
                    place: event.place,
                });
            }
            self.events.pop_front();
            self.done.requests += 1;
            asked = true;
        }
        Ok(asked)
    }

    /// What happens before something is said: skills are let go, another model goes on.
    pub(super) fn between_turns(&mut self) -> Result<(), Divergence> {
        let is_such = |event: &mut Recorded| event.kind == RELEASED || event.kind == MODEL_CHANGED;
        while let Some(event) = self.events.pop_front_if(is_such) {
            if event.kind == MODEL_CHANGED {
                self.hand_over(&event)?;
            } else {
                let skill = event.skill.unwrap_or_default();
                self.again.release(&skill);
            }
        }
        Ok(())
    }

    fn part(&mut self, part: &UserPart) -> Result<(), Divergence> {
        let UserPart::Skill {
            name,
            digest,
            arguments,
            text,
            ..
        } = part
        else {
            return Ok(());
        };
        let message = self.number();
        let differs = |now: String| Divergence::Skill {
            message,
            skill: name.clone(),
            then: digest.clone(),
            now,
        };
        self.shelf.turn(name, digest);
        // Users and routers may load different skills; which of them it was does not matter here.
        let loaded = self
            .shelf
            .load(name, arguments, Caller::User)
            .or_else(|_| self.shelf.load(name, arguments, Caller::Model))
            .map_err(|error| differs(error.to_string()))?;
        let now = loaded.digest.to_string();
        let output = receive(loaded, &self.again.state);
        if now != *digest || output.content != *text {
            return Err(differs(now));
        }
        if let Some(activation) = output.activated {
            let rendered = activation.rendered.to_string();
            self.expect("skill.activated", |event| {
                event.skill.as_deref() == Some(name)
                    && event.detail.get("rendered") == Some(&rendered)
            })?;
            self.again
                .activate(name, &activation.digest, &activation.rendered);
        }
        self.done.rendered += 1;
        Ok(())
    }

    fn result(&mut self, call: Option<&ToolCall>, result: &ToolResult) -> Result<(), Divergence> {
        let message = self.number();
        let differs = |from: String| Divergence::Result {
            message,
            tool: result.name.clone(),
            call: result.id.clone(),
            from,
        };
        if [NOT_MADE, TOO_MANY].contains(&&*result.content) {
            return Ok(());
        }
        // Older versions wrote every id as it is.
        let names = [logged(&result.id), Cow::from(&*result.id)];
        let is_event = |event: &Recorded| {
            let call = event.detail.get("call");
            call.is_some_and(|call| names.iter().any(|name| name == call))
        };
        if result.content == INTERRUPTED {
            if self.events.front().is_some_and(is_event) {
                self.events.pop_front();
            }
            return Ok(());
        }
        let output = Digest::of(result.content.as_bytes()).to_string();
        let Some(event) = self.events.pop_front().filter(is_event) else {
            return Err(self.missing(&format!("call {}", names[0])));
        };
        if event.detail.get("output") != Some(&output) {
            return Err(differs(format!("event {} of the log", event.place)));
        }
        let call = call.ok_or_else(|| differs("the call before it".into()))?;
        // What was denied was not made.
        let denied = event.kind == "skill.tool_blocked" || event.is_refusal();
        let made = match parse_arguments(call) {
            _ if denied => None,
            Ok(_) if !has(&self.again.prompt, &result.name) => None,
            Ok(_) if unmarked(&result.content) == CAME_EMPTY => None,
            Ok(arguments) => self.answered(&arguments, &event, result),
            Err(problem) => Some(Err(problem)),
        };
        match made {
            Some(made) if !is_same(&made, result) => {
                // What a search found, and what was refused, is due to all that was on the machine
                // then, which nobody kept; the log says what it was.
                if event.done && result.name != SEARCH {
                    return Err(differs("what the skill gives now".into()));
                }
                self.done.recorded += 1;
            }
            Some(made) => {
                let activation = made.ok().and_then(|output| output.activated);
                if let Some(activation) = activation {
                    let (name, digest) = (&activation.name, &activation.digest);
                    self.again.activate(name, digest, &activation.rendered);
                }
                self.done.rendered += 1;
            }
            None => self.done.recorded += 1,
        }
        Ok(())
    }

    /// What a tool that only reads skills gives, with the edition that it was asked of.
    fn answered(
        &mut self,
        arguments: &Map<String, Value>,
        event: &Recorded,
        result: &ToolResult,
    ) -> Option<Result<Output, String>> {
        if let (Some(skill), Some(digest)) = (&event.skill, &event.digest) {
            self.shelf.turn(skill, digest);
        }
        let tool = &result.name;
        let mut made = answer(tool, arguments, self.shelf, &self.again.state)?;
        // The log does not say which editions a search saw, nor which one was not given any more.
        let named = arguments.get("name").and_then(Value::as_str);
        let named = named.map(known_as);
        let mut number = 0;
        while !is_same(&made, result) && self.shelf.turn_to(number, named.as_deref()) {
            made = answer(tool, arguments, self.shelf, &self.again.state)?;
            number += 1;
        }
        Some(made)
    }

    /// The next event, which must be this one.
    fn expect(
        &mut self,
        kind: &str,
        is_it: impl Fn(&Recorded) -> bool,
    ) -> Result<Recorded, Divergence> {
        let found = self.events.pop_front();
        let found = found.filter(|event| event.kind == kind && is_it(event));
        found.ok_or_else(|| self.missing(&format!("`{kind}`")))
    }

    fn missing(&self, what: &str) -> Divergence {
        Divergence::Missing {
            what: what.to_owned(),
            message: self.number(),
        }
    }
}

/// Whether a result is what was made again.
fn is_same(made: &Result<Output, String>, result: &ToolResult) -> bool {
    let content = match made {
        Ok(output) => &output.content,
        Err(problem) => problem,
    };
    *content == result.content || content == unmarked(&result.content)
}

/// The models of a session, and the current one.
pub(super) struct ModelTimeline {
    models: Vec<Model>,
    at: usize,
}

struct Model {
    name: String,
    tool_mode: ToolMode,
    /// The number of messages when it was replaced; `None` for the last.
    until: Option<usize>,
}

impl ModelTimeline {
    /// The models of a session, beginning with the first.
    pub(super) fn of(session: &Session) -> Self {
        let earlier = session.state.earlier.iter().map(|each| Model {
            name: each.model.clone(),
            tool_mode: each.tool_mode,
            until: Some(each.messages),
        });
        let settings = &session.prompt.settings;
        let last = Model {
            name: settings.model.clone(),
            tool_mode: settings.tool_mode,
            until: None,
        };
        Self {
            models: earlier.chain([last]).collect(),
            at: 0,
        }
    }

    /// Begins a session after `messages` messages with this model.
    pub(super) fn begin(&mut self, messages: usize, model: Option<&String>) {
        let is_over = |each: &Model| Some(&each.name) != model && each.until == Some(messages);
        while self.models.get(self.at).is_some_and(is_over) {
            self.at += 1;
        }
    }

    /// The prompt of the current model.
    pub(super) fn prompt(&self, session: &Session) -> Prompt {
        self.made(&session.prompt)
            .unwrap_or_else(|| session.prompt.clone())
    }

    /// Switches to the next model.
    pub(super) fn next(&mut self, before: &Prompt) -> Option<Prompt> {
        self.at += 1;
        self.made(before)
    }

    fn made(&self, prompt: &Prompt) -> Option<Prompt> {
        let model = self.models.get(self.at)?;
        Some(prompt.for_model(&model.name, model.tool_mode))
    }
}
