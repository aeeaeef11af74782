//! Telemetry: events of sessions for subscribers, and traces of them over OTLP.
//!
//! No content of messages, arguments or results is reported: only names, digests, counts and times.

mod otlp;
mod trace;

use std::sync::Arc;

use jiff::Timestamp;

use crate::front_end::EndReason;
use crate::message::{CallOutcome, Trigger};
use crate::provider::{Stop, Usage};
use crate::trace_context::TraceParent;

pub use otlp::{Attribute, OtlpEndpoint, OtlpExporter, SpanKind, SpanStatus, TraceSpan};
pub use trace::Tracer;

/// Receives events. The turn waits for it, so it must return quickly.
pub trait TelemetrySubscriber: Send + Sync {
    /// Called for each event.
    fn on_event(&self, event: &TelemetryEvent<'_>);
}

/// An event of a session.
#[derive(Debug, Clone)]
pub enum TelemetryEvent<'a> {
    /// A turn began.
    TurnStarted(TurnStarted<'a>),
    /// A skill's body entered a session.
    SkillActivated(SkillActivated<'a>),
    /// The model was called.
    ModelCalled(ModelCalled<'a>),
    /// A tool was called.
    ToolCalled(ToolCalled<'a>),
    /// A turn ended.
    TurnEnded(TurnEnded<'a>),
    /// A tool was called by an agent of another program.
    ToolServed(ToolServed<'a>),
}

/// A turn began.
#[derive(Debug, Clone)]
pub struct TurnStarted<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent.
    pub agent: Option<&'a str>,
    /// The model, as `provider/name`.
    pub model: &'a str,
    /// The span of the caller.
    pub parent: Option<&'a TraceParent>,
    /// When.
    pub at: Timestamp,
}

/// A skill's body entered a session.
#[derive(Debug, Clone)]
pub struct SkillActivated<'a> {
    /// The session.
    pub session: &'a str,
    /// The skill.
    pub skill: &'a str,
    /// Its tree digest.
    pub digest: &'a str,
    /// The kind of its source.
    pub source: &'a str,
    /// Where it came from, without credentials.
    pub uri: &'a str,
    /// Its trust tier.
    pub tier: &'a str,
    /// What activated it.
    pub trigger: Trigger,
    /// The estimated number of tokens.
    pub tokens: usize,
    /// When.
    pub at: Timestamp,
}

/// The model was called.
#[derive(Debug, Clone)]
pub struct ModelCalled<'a> {
    /// The session.
    pub session: &'a str,
    /// The provider.
    pub provider: &'a str,
    /// The model's name without the provider.
    pub model: &'a str,
    /// The maximum number of tokens of the answer.
    pub max_tokens: u32,
    /// When the request was sent.
    pub started: Timestamp,
    /// When the answer was complete.
    pub ended: Timestamp,
    /// Whether the answer contains tool calls.
    pub calls: bool,
    /// Why it stopped and its usage, or the kind of the failure.
    pub outcome: Result<(Stop, Usage), &'static str>,
}

/// A tool was called.
#[derive(Debug, Clone)]
pub struct ToolCalled<'a> {
    /// The session.
    pub session: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The call.
    pub call: &'a str,
    /// The skill, if the call is about one.
    pub skill: Option<&'a str>,
    /// That skill's tree digest.
    pub digest: Option<&'a str>,
    /// Where that skill came from, without credentials.
    pub uri: Option<&'a str>,
    /// The file of the skill, by its path in it.
    pub resource: Option<&'a str>,
    /// The exit code of what it ran.
    pub exit: Option<i64>,
    /// The outcome.
    pub outcome: CallOutcome,
    /// When the call began.
    pub started: Timestamp,
    /// When it ended, including questions to the user.
    pub ended: Timestamp,
}

/// A tool was called by an agent of another program, outside of a turn.
#[derive(Debug, Clone)]
pub struct ToolServed<'a> {
    /// The call; its session and ID are empty if unknown.
    pub call: ToolCalled<'a>,
    /// The span of the caller.
    pub parent: Option<&'a TraceParent>,
}

/// A turn ended.
#[derive(Debug, Clone)]
pub struct TurnEnded<'a> {
    /// The session.
    pub session: &'a str,
    /// When.
    pub at: Timestamp,
    /// The tokens used.
    pub usage: Usage,
    /// Why it ended, or the kind of the failure.
    pub outcome: Result<EndReason, &'static str>,
}

/// Sends an event to all subscribers.
pub(crate) fn publish(subscribers: &[Arc<dyn TelemetrySubscriber>], event: &TelemetryEvent<'_>) {
    for subscriber in subscribers {
        subscriber.on_event(event);
    }
}
