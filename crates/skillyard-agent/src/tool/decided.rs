//! The event of a decision about a call that another runtime makes.

use serde_json::json;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_trust::guard::{GuardDecision, GuardInput, GuardRequest, GuardVerdict};

/// Most characters of an input that are written down.
const MOST_SHOWN: usize = 2_000;

/// What the log says of a decision, as it does of those about an agent's own calls.
pub fn decided(request: &GuardRequest, decision: &GuardDecision) -> Event {
    let (kind, outcome) = match decision.verdict {
        GuardVerdict::Allowed => (EventKind::ToolAllowed, Outcome::Ok),
        GuardVerdict::Denied => (EventKind::ToolBlocked, Outcome::Denied),
    };
    let mut event = Event::new(kind)
        .trigger("guard")
        .ended(outcome, &decision.reason)
        .detail("tool", &request.tool)
        .detail("input", shown(&request.input));
    event.skill.clone_from(&decision.skill);
    if let Some(pattern) = &decision.pattern {
        event = event.detail("pattern", pattern);
    }
    event
}

/// What a tool is called with, as much of it as a log needs.
fn shown(input: &GuardInput) -> String {
    let text = match input {
        GuardInput::Text(text) => text.clone(),
        GuardInput::Fields(fields) => json!(fields).to_string(),
    };
    text.chars().take(MOST_SHOWN).collect()
}
