//! The event of a decision about a call that another runtime makes.

use serde_json::json;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_trust::guard::{GuardDecision, GuardInput, GuardRequest, GuardVerdict};

/// Most characters of an input that are written down.
const MAX_SHOWN: usize = 2_000;

/// What the log says of a decision, as it does of those about an agent's own calls.
pub fn decided(request: &GuardRequest, decision: &GuardDecision) -> Event {
    let (kind, outcome) = match decision.verdict {
        GuardVerdict::Allowed => (EventKind::ToolAllowed, Outcome::Ok),
        GuardVerdict::Denied => (EventKind::ToolBlocked, Outcome::Denied),
    };
    let event = Event::new(kind)
        .trigger("guard")
        .ended(outcome, &decision.reason)
        .detail("tool", &request.tool)
        .detail("input", shown(&request.input));
    told_by(event, decision)
}

/// The event of a call, with what decided about it: the skill, its pattern, and the reason unless
/// the call has one of its own for how it ended.
pub fn told_by(mut event: Event, decision: &GuardDecision) -> Event {
    event.skill = event.skill.or_else(|| decision.skill.clone());
    let reason = || Some(decision.reason.clone());
    event.reason = event.reason.or_else(reason);
    match &decision.pattern {
        Some(pattern) => event.detail("pattern", pattern),
        None => event,
    }
}

/// What a tool is called with, as much of it as a log needs.
fn shown(input: &GuardInput) -> String {
    let text = match input {
        GuardInput::Text(text) => text.clone(),
        GuardInput::Fields(fields) => json!(fields).to_string(),
    };
    text.chars().take(MAX_SHOWN).collect()
}
