//! Telling others what happens in sessions.
//!
//! `happening` is what can be told and who can hear it, `trace` makes spans of it under the names
//! of OpenTelemetry's `GenAI` conventions, `otlp` sends them. `parent` is the span of a caller that
//! they belong to. Nothing that was said, no argument and no result is ever told: names, digests,
//! counts and times are.

mod happening;
mod otlp;
mod parent;
mod span;
mod trace;

pub use happening::{
    Asked, Called, Happening, Served, SkillActivated, Subscriber, TurnEnded, TurnStarted,
};
pub use otlp::{Otlp, Receiver};
pub use parent::TraceParent;
pub use span::{Attribute, Span, SpanKind, SpanStatus};
pub use trace::Tracer;
