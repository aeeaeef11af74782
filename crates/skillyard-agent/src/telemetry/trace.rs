//! Spans of turns, named by OpenTelemetry's `GenAI` conventions.
//!
//! The conventions are in development. All names are in this file, as of October 2026
//! (`open-telemetry/semantic-conventions-genai`, 06ec68e); other attributes begin with `skillyard.`.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};

use super::otlp::{Attribute, OtlpExporter, SpanKind, SpanStatus, TraceSpan};
use super::{ModelCalled, SkillActivated, TelemetryEvent, TelemetrySubscriber, ToolCalled};
use crate::message::{CallOutcome, Trigger};
use crate::provider::Stop;
use crate::trace_context::TraceParent;

/// Spans of a turn; others are only counted.
const MAX_SPANS: usize = 1000;

/// Exports a trace of every turn when the turn ends.
#[derive(Debug)]
pub struct Tracer {
    otlp: OtlpExporter,
    /// Turns in progress, by session.
    open: Mutex<HashMap<String, OpenTrace>>,
}

#[derive(Debug)]
struct OpenTrace {
    root: TraceSpan,
    children: Vec<TraceSpan>,
    omitted: u64,
}

impl Tracer {
    /// A tracer that exports to `otlp`.
    pub fn new(otlp: OtlpExporter) -> Self {
        Self {
            otlp,
            open: Mutex::default(),
        }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<String, OpenTrace>> {
        self.open.lock()
    }

    fn add(&self, session: &str, make: impl FnOnce(&TraceSpan) -> Option<TraceSpan>) {
        if let Some(open) = self.turns().get_mut(session) {
            if open.children.len() >= MAX_SPANS {
                open.omitted += 1;
            } else {
                open.children.extend(make(&open.root));
            }
        }
    }
}

impl TelemetrySubscriber for Tracer {
    fn on_event(&self, event: &TelemetryEvent<'_>) {
        match event {
            TelemetryEvent::TurnStarted(turn) => {
                let name = turn.agent.unwrap_or("skillyard");
                let name_of_span = format!("invoke_agent {name}");
                let root = root(turn.parent, name_of_span, SpanKind::Internal, turn.at);
                let Some(mut root) = root else {
                    return;
                };
                root.attributes = vec![
                    ("gen_ai.operation.name", "invoke_agent".into()),
                    ("gen_ai.agent.name", name.into()),
                    ("gen_ai.conversation.id", turn.session.into()),
                    ("gen_ai.request.model", turn.model.into()),
                ];
                let open = OpenTrace {
                    root,
                    children: Vec::new(),
                    omitted: 0,
                };
                self.turns().insert(turn.session.to_owned(), open);
            }
            TelemetryEvent::ModelCalled(asked) => self.add(asked.session, |root| chat(root, asked)),
            TelemetryEvent::ToolCalled(called) => self.add(called.session, |root| {
                let span = child(root, name_of(called), SpanKind::Internal)?;
                Some(tool(span, called))
            }),
            TelemetryEvent::ToolServed(served) => {
                let call = &served.call;
                let kind = SpanKind::Server;
                if let Some(span) = root(served.parent, name_of(call), kind, call.started) {
                    self.otlp.send(&[tool(span, call)]);
                }
            }
            // A skill that a model loads has the span of the tool call.
            TelemetryEvent::SkillActivated(skill) if skill.trigger == Trigger::Model => {}
            TelemetryEvent::SkillActivated(skill) => {
                self.add(skill.session, |root| load(root, skill));
            }
            TelemetryEvent::TurnEnded(end) => {
                let Some(mut open) = self.turns().remove(end.session) else {
                    return;
                };
                open.root.ended = end.at;
                let usage = end.usage;
                open.root.attributes.extend([
                    ("gen_ai.usage.input_tokens", usage.input.into()),
                    ("gen_ai.usage.output_tokens", usage.output.into()),
                    ("skillyard.spans.omitted", open.omitted.into()),
                ]);
                match end.outcome {
                    Ok(reason) => {
                        let reason = Attribute::from(reason.as_str());
                        open.root.attributes.push(("skillyard.turn.end", reason));
                    }
                    Err(kind) => fail(&mut open.root, kind),
                }
                let mut spans = vec![open.root];
                spans.append(&mut open.children);
                self.otlp.send(&spans);
            }
        }
    }
}

/// A root span, in the trace of the caller if there is one; `None` if the caller does not record its
/// trace, or without random numbers.
fn root(
    parent: Option<&TraceParent>,
    name: String,
    kind: SpanKind,
    started: Timestamp,
) -> Option<TraceSpan> {
    if parent.is_some_and(|parent| !parent.is_sampled()) {
        return None;
    }
    let trace = match parent {
        Some(parent) => parent.trace().to_owned(),
        None => random::<16>()?,
    };
    Some(TraceSpan {
        trace,
        id: random::<8>()?,
        parent: parent.map(|parent| parent.span().to_owned()),
        name,
        kind,
        started,
        ended: started,
        attributes: Vec::new(),
        status: SpanStatus::Unset,
    })
}

fn child(root: &TraceSpan, name: String, kind: SpanKind) -> Option<TraceSpan> {
    Some(TraceSpan {
        trace: root.trace.clone(),
        id: random::<8>()?,
        parent: Some(root.id.clone()),
        name,
        kind,
        started: root.started,
        ended: root.started,
        attributes: Vec::new(),
        status: SpanStatus::Unset,
    })
}

fn chat(root: &TraceSpan, asked: &ModelCalled<'_>) -> Option<TraceSpan> {
    let mut span = child(root, format!("chat {}", asked.model), SpanKind::Client)?;
    (span.started, span.ended) = (asked.started, asked.ended);
    span.attributes = vec![
        ("gen_ai.operation.name", "chat".into()),
        ("gen_ai.provider.name", asked.provider.into()),
        ("gen_ai.request.model", asked.model.into()),
        (
            "gen_ai.request.max_tokens",
            u64::from(asked.max_tokens).into(),
        ),
        ("gen_ai.conversation.id", asked.session.into()),
    ];
    match asked.outcome {
        Ok((stop, usage)) => {
            let reason = match stop {
                Stop::End if asked.calls => "tool_calls",
                Stop::End => "stop",
                Stop::Length => "length",
                Stop::Refused => "content_filter",
            };
            span.attributes.extend([
                (
                    "gen_ai.response.finish_reasons",
                    Attribute::Texts(vec![reason.to_owned()]),
                ),
                ("gen_ai.usage.input_tokens", usage.input.into()),
                ("gen_ai.usage.output_tokens", usage.output.into()),
                ("gen_ai.usage.cache_read.input_tokens", usage.cached.into()),
            ]);
        }
        Err(kind) => fail(&mut span, kind),
    }
    Some(span)
}

fn name_of(called: &ToolCalled<'_>) -> String {
    let words = [Some(called.tool), called.skill, called.resource];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    format!("execute_tool {}", words.join(" "))
}

fn tool(mut span: TraceSpan, called: &ToolCalled<'_>) -> TraceSpan {
    (span.started, span.ended) = (called.started, called.ended);
    span.attributes = vec![
        ("gen_ai.operation.name", "execute_tool".into()),
        ("gen_ai.tool.name", called.tool.into()),
        ("gen_ai.tool.type", "function".into()),
    ];
    let known = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let texts = [
        ("gen_ai.tool.call.id", known(called.call)),
        ("gen_ai.conversation.id", known(called.session)),
        ("gen_ai.skill.name", called.skill),
        ("gen_ai.skill.source.uri", called.uri),
        ("gen_ai.skill.resource.name", called.resource),
        ("skillyard.skill.digest", called.digest),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(key, text)| Some((key, text?.into())));
    span.attributes.extend(texts);
    if let Some(code) = called.exit {
        let code = Attribute::Number(code);
        span.attributes.push(("process.exit.code", code));
    }
    match called.outcome {
        CallOutcome::Ok => {}
        CallOutcome::Denied => fail(&mut span, "denied"),
        CallOutcome::Failed => fail(&mut span, "failed"),
    }
    span
}

/// The span of a skill that the user named or a router chose, without a tool call.
fn load(root: &TraceSpan, skill: &SkillActivated<'_>) -> Option<TraceSpan> {
    let name = format!("execute_tool skill_load {}", skill.skill);
    let mut span = child(root, name, SpanKind::Internal)?;
    (span.started, span.ended) = (skill.at, skill.at);
    span.attributes = vec![
        ("gen_ai.operation.name", "execute_tool".into()),
        ("gen_ai.tool.name", "skill_load".into()),
        ("gen_ai.tool.type", "function".into()),
        ("gen_ai.conversation.id", skill.session.into()),
        ("gen_ai.skill.name", skill.skill.into()),
        ("gen_ai.skill.source.uri", skill.uri.into()),
        ("skillyard.skill.digest", skill.digest.into()),
        ("skillyard.skill.tier", skill.tier.into()),
        ("skillyard.skill.trigger", skill.trigger.as_str().into()),
        ("skillyard.skill.tokens", (skill.tokens as u64).into()),
    ];
    Some(span)
}

fn fail(span: &mut TraceSpan, kind: &str) {
    span.attributes.push(("error.type", kind.into()));
    span.status = SpanStatus::Error(kind.to_owned());
}

fn random<const SIZE: usize>() -> Option<String> {
    use std::fmt::Write as _;
    let mut bytes = [0; SIZE];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
