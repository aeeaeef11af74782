//! The tools of a model.
//!
//! `skill` has the tools for skills, `workspace` and `search` those for files, `workspace_path` checks
//! paths, `call` is the path of every call.

mod call;
mod search;
mod skill;
mod workspace;
mod workspace_path;

use std::fmt::Write as _;

use serde_json::json;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::render::foreign::stream;
use skillyard_trust::guard::{GuardDecision, GuardInput, GuardRequest, GuardVerdict};

use crate::host::Ran;

pub(crate) use call::{
    AuditQuota, CAME_EMPTY, Calls, LEFT_OUT, LENT, Length, MAX_ARGUMENTS, Repeats, has, logged,
    parse_arguments, refusal, unmarked,
};
pub use skill::whole_number;
pub(crate) use skill::{Output, SEARCH, answer, receive};

/// Bytes of each stream that a model gets.
const STREAM_LIMITS: [(&str, usize); 2] = [("stdout", 40_000), ("stderr", 20_000)];

/// The result of a program, as a model reads it: of each stream its beginning and its end.
fn render_run(ran: &Ran) -> String {
    let mut text = format!("exit code {}\n", ran.code);
    // Before everything that a program can write, be it without end.
    if let Some(made) = &ran.made {
        let _ = writeln!(
            text,
            "sandbox: it made {made}: look at it before git or an agent obeys it"
        );
    }
    for ((label, most), content) in STREAM_LIMITS.into_iter().zip([&ran.stdout, &ran.stderr]) {
        if !content.is_empty() {
            text.push_str(&stream(label, content, most));
            text.push('\n');
        }
    }
    for denial in &ran.denials {
        let _ = writeln!(text, "sandbox: {denial}");
    }
    text
}

/// Characters of an input in the audit log.
const MAX_LOGGED_INPUT: usize = 2_000;

/// The audit event of a decision about a call of another runtime.
pub fn decision_event(request: &GuardRequest, decision: &GuardDecision) -> Event {
    let (kind, outcome) = match decision.verdict {
        GuardVerdict::Allowed => (EventKind::ToolAllowed, Outcome::Ok),
        GuardVerdict::Denied => (EventKind::ToolBlocked, Outcome::Denied),
    };
    let event = Event::new(kind)
        .trigger("guard")
        .ended(outcome, &decision.reason)
        .detail("tool", &request.tool)
        .detail("input", logged_input(&request.input));
    with_decision(event, decision)
}

/// Adds a decision to the event of a call: the skill, its pattern, and the reason unless the event has
/// one.
pub fn with_decision(mut event: Event, decision: &GuardDecision) -> Event {
    event.skill = event.skill.or_else(|| decision.skill.clone());
    let reason = || Some(decision.reason.clone());
    event.reason = event.reason.or_else(reason);
    match &decision.pattern {
        Some(pattern) => event.detail("pattern", pattern),
        None => event,
    }
}

/// The input of a tool, shortened for the audit log.
fn logged_input(input: &GuardInput) -> String {
    let text = match input {
        GuardInput::Text(text) => text.clone(),
        GuardInput::Fields(fields) => json!(fields).to_string(),
    };
    text.chars().take(MAX_LOGGED_INPUT).collect()
}
