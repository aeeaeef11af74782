//! The path of every tool call: parse, guard, approve, run, record.
//!
//! `skill`, `script`, `workspace` and `mcp` are the four kinds of tools, `approve` asks the user, `limits`
//! counts, `outcome` is the result.

mod approve;
mod limits;
mod mcp;
mod outcome;
mod script;
mod skill;
mod workspace;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind};
use skillyard_format::Digest;
use skillyard_trust::guard::{
    ActiveSkill, GuardDecision, GuardInput, GuardRequest, GuardVerdict, check,
};

use super::{answer, with_decision};
use crate::front_end::{FrontEnd, TurnEvent};
use crate::host::{Host, HostError};
use crate::message::{CallOutcome, ToolCall, ToolResult};
use crate::prompt::Prompt;
use crate::session::Session;
use crate::shelf::{Shelf, ShelfSkill};
use crate::telemetry::{TelemetryEvent, TelemetrySubscriber, ToolCalled, publish};
use crate::tool_spec::canonical;
use outcome::Ended;

pub(crate) use limits::{AuditQuota, Repeats};
pub(crate) use mcp::PREFIX as LENT;
pub(crate) use outcome::logged;
pub(crate) use skill::refusal;

/// Most bytes of the arguments of a call.
pub(crate) const MAX_ARGUMENTS: usize = 256 * 1024;
/// The end of what stands in a session for longer ones, behind their number of bytes.
pub(crate) const LEFT_OUT: &str = " bytes of arguments were left out]";
/// What a result ends with when the same call gave it again and again; the second is what older
/// sessions say.
const REPEATED: [&str; 2] = [
    "\n[This exact call was made several times and gave the same result each time.]",
    "\n[This exact call was made several times. Its result will not change.]",
];
/// What a call is told of which the limit of its answer left nothing but the name.
pub(crate) const CAME_EMPTY: &str = "This call was not made: its arguments did not come.";
/// What the result of a call ends with that the limit of its answer cut.
const CUT_OFF: &str = "\n[Your answer reached its limit of tokens in this call and was cut off there. \
Make it shorter, or make several calls of it.]";
/// How much of arguments and results is shown.
const PREVIEW: usize = 200;

/// What calls need.
pub(crate) struct Calls<'a> {
    pub(crate) shelf: &'a Shelf,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) session: &'a mut Session,
    pub(crate) active: &'a mut Vec<ActiveSkill>,
    pub(crate) front: &'a mut dyn FrontEnd,
    pub(crate) cancel: &'a AtomicBool,
    pub(crate) clock: fn() -> Timestamp,
    pub(crate) subscribers: &'a [Arc<dyn TelemetrySubscriber>],
    pub(crate) repeats: &'a mut Repeats,
    pub(crate) audit_quota: &'a mut AuditQuota,
}

/// Whether a call came whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// It did.
    Whole,
    /// Its answer ended with it because of its limit, perhaps in the middle.
    Limited,
}

impl Calls<'_> {
    /// Makes a call; whatever goes wrong with it is a result for the model.
    pub(crate) fn make(
        &mut self,
        call: &ToolCall,
        length: Length,
    ) -> Result<ToolResult, HostError> {
        let tool = canonical(&call.name).to_owned();
        self.front.event(&TurnEvent::ToolCall {
            id: call.id.clone(),
            name: tool.clone(),
            summary: shortened(&call.arguments),
            arguments: call.arguments.clone(),
        });
        let started = (self.clock)();
        let parsed = parse_arguments(call);
        let is_cut = length == Length::Limited && parsed.as_ref().map_or(true, Map::is_empty);
        let mut ended = match parsed {
            Ok(_) if is_cut => Ended::failed(CAME_EMPTY.into(), EventKind::ToolAllowed),
            Ok(arguments) => self.run_guarded(call, &tool, &arguments)?,
            Err(problem) => Ended::failed(problem, EventKind::ToolAllowed),
        };
        if is_cut {
            ended.content.push_str(CUT_OFF);
        }
        if self.repeats.note(&tool, &call.arguments, &ended) {
            ended.content.push_str(REPEATED[0]);
        }
        let over = (self.clock)();
        let milliseconds = over.duration_since(started).as_millis();
        let milliseconds = u64::try_from(milliseconds).unwrap_or_default();
        let event = identified(limits::brief(ended.event), call, &tool)
            .session(&self.session.id)
            .detail("milliseconds", milliseconds.to_string())
            .detail("output", Digest::of(ended.content.as_bytes()).to_string());
        self.host.record(&event)?;
        self.audit_quota.note(&event);
        let skill = event.skill.as_deref();
        let uri = skill.and_then(|name| self.shelf.find(name).ok().map(ShelfSkill::uri));
        let is_known = has(&self.session.prompt, &tool);
        let detail = |name: &str| event.detail.get(name).map(String::as_str);
        let exit = detail("exit_code").and_then(|code| code.parse().ok());
        // What is not there is a word of the model, and so may be what was denied.
        let is_there = ended.outcome == CallOutcome::Ok || exit.is_some();
        publish(
            self.subscribers,
            &TelemetryEvent::ToolCalled(ToolCalled {
                session: &self.session.id,
                // A name that no tool has is a word of the model.
                tool: if is_known { &tool } else { "unknown" },
                call: &call.id,
                skill,
                digest: event.digest.as_deref(),
                uri: uri.as_deref(),
                // Paths of the workspace are nobody's business.
                resource: skill
                    .filter(|_| event.kind != EventKind::ToolAllowed && is_there)
                    .and_then(|_| detail("path").or_else(|| detail("script"))),
                exit,
                outcome: ended.outcome,
                started,
                ended: over,
            }),
        );
        self.front.event(&TurnEvent::ToolResult {
            id: call.id.clone(),
            name: tool.clone(),
            outcome: ended.outcome,
            preview: shortened(&ended.content),
            content: ended.content.clone(),
            milliseconds,
        });
        // The model reads it, too; but it is the person who has to look.
        if let Some(made) = detail("made") {
            let text = format!(
                "`{tool}` made {made}: look at it before you let git or an agent work there"
            );
            self.front.event(&TurnEvent::Note { text });
        }
        Ok(ToolResult {
            id: call.id.clone(),
            name: tool,
            content: ended.content,
            outcome: ended.outcome,
        })
    }
}

impl Calls<'_> {
    /// Writes down that a call begins which may change something, and does not let it begin where
    /// that cannot be written: who is killed in the middle says nothing any more.
    fn begins(
        &mut self,
        call: &ToolCall,
        tool: &str,
        about: impl Fn(Event) -> Event,
    ) -> Result<(), HostError> {
        let event = Event::new(EventKind::ToolStarted).session(&self.session.id);
        let event = identified(about(event), call, tool);
        self.audit_quota.note(&event);
        self.host.record(&event)
    }
}

/// An event with what leads from the beginning of a call to its end.
fn identified(event: Event, call: &ToolCall, tool: &str) -> Event {
    event
        .detail("tool", tool)
        .detail("call", logged(&call.id))
        .detail("input", Digest::of(call.arguments.as_bytes()).to_string())
}

/// A result without what was said behind it about the call.
pub(crate) fn unmarked(content: &str) -> &str {
    let mut repeated = REPEATED.iter();
    let content = repeated
        .find_map(|mark| content.strip_suffix(mark))
        .unwrap_or(content);
    content.strip_suffix(CUT_OFF).unwrap_or(content)
}

/// The arguments of a call, or what is wrong with them.
pub(crate) fn parse_arguments(call: &ToolCall) -> Result<Map<String, Value>, String> {
    let text = call.arguments.trim();
    if text.ends_with(LEFT_OUT) {
        return Err(format!(
            "the arguments are too long: {MAX_ARGUMENTS} bytes are allowed"
        ));
    }
    if text.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err("the arguments are no JSON object".into()),
        Err(error) => Err(format!("the arguments are no valid JSON: {error}")),
    }
}

fn shortened(text: &str) -> String {
    let line = skillyard_format::text::one_line(text);
    let short: String = line.chars().take(PREVIEW).collect();
    if short.len() < line.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// Whether a session was given a tool.
pub(crate) fn has(prompt: &Prompt, tool: &str) -> bool {
    prompt.tools.iter().any(|each| each.name == tool)
}

impl Calls<'_> {
    fn run_guarded(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let decision = match self.decide(tool, arguments) {
            Ok(decision) => decision,
            // Nobody knows what is denied.
            Err(error) => {
                let content = format!("Denied: {}", error.message);
                return Ok(Ended::denied(content, error.message));
            }
        };
        if decision.verdict == GuardVerdict::Denied {
            let by = decision.skill.as_deref().unwrap_or("the guard");
            let content = format!("Denied by `{by}`: {}", decision.reason);
            let mut ended = Ended::denied(content, &decision.reason);
            ended.event = with_decision(ended.event, &decision);
            if let Some(Value::String(command)) = arguments.get("command") {
                ended.event = ended.event.detail("command", command);
            }
            return Ok(ended);
        }
        let mut ended = self.dispatch(call, tool, arguments)?;
        if ended.event.kind == EventKind::ToolAllowed {
            ended.event = with_decision(ended.event, &decision);
        }
        Ok(ended)
    }

    /// Passes an allowed call to its tool.
    fn dispatch(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        // A model may name any tool; those that its session was not given are not there.
        if !has(&self.session.prompt, tool) {
            return Ok(Ended::failed(self.unknown(tool), EventKind::ToolAllowed));
        }
        if let Some(denied) = self.withheld(tool, arguments) {
            return Ok(denied);
        }
        if let Some(result) = answer(tool, arguments, self.shelf, &self.session.state) {
            return Ok(self.settled(tool, arguments, result));
        }
        if tool == "skill_run" {
            return self.script(call, arguments);
        }
        if tool.starts_with(LENT) {
            return self.lent(call, tool, arguments);
        }
        self.on_workspace(call, tool, arguments)
    }

    fn decide(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<GuardDecision, HostError> {
        let request = GuardRequest {
            tool: tool.to_owned(),
            input: GuardInput::Fields(arguments.clone()),
        };
        let denied = self.host.denied()?;
        let world = self.host.surroundings();
        Ok(check(&request, self.active, &denied, world))
    }
}
