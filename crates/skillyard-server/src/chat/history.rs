//! A stored session as events.

use skillyard_agent::message::{AssistantPart, Message, UserPart};
use skillyard_agent::session::Session;
use skillyard_agent::tool_spec::canonical;

use super::event::{ActiveSkill, ChatEvent, called, shown, trigger};

/// What happened in a session so far.
pub(super) fn history(session: &Session) -> Vec<ChatEvent> {
    let mut events = Vec::new();
    for message in &session.messages {
        match message {
            Message::User { parts } => {
                if !events.is_empty() {
                    events.push(ChatEvent::Done { reason: None });
                }
                heard(parts, &mut events);
            }
            Message::Assistant { parts } => events.extend(parts.iter().filter_map(answered)),
            Message::Tool { results } => {
                events.extend(results.iter().map(|result| ChatEvent::ToolResult {
                    id: result.id.clone(),
                    outcome: result.outcome.into(),
                    output: shown(&result.content),
                    milliseconds: None,
                }));
            }
        }
    }
    if !events.is_empty() {
        let skills = active(session);
        events.push(ChatEvent::Active { skills });
        // What each request cost is not kept; their sum is.
        let usage = &session.state.usage;
        if usage.input + usage.output > 0 {
            events.push(ChatEvent::Usage {
                input: usage.input,
                cached: usage.cached,
                output: usage.output,
                estimated: usage.estimated,
                session: usage.into(),
            });
        }
        events.push(ChatEvent::Done { reason: None });
    }
    events
}

/// The skills that are active in a session.
pub(crate) fn active(session: &Session) -> Vec<ActiveSkill> {
    let skills = session.state.activated.iter().map(|each| ActiveSkill {
        name: each.name.clone(),
        digest: each.digest.clone(),
    });
    skills.collect()
}

/// The parts of a user message, its text first.
fn heard(parts: &[UserPart], events: &mut Vec<ChatEvent>) {
    let texts = parts.iter().filter_map(|part| match part {
        UserPart::Text { text } => Some(ChatEvent::User { text: text.clone() }),
        _ => None,
    });
    events.extend(texts);
    let others = parts.iter().filter_map(|part| match part {
        UserPart::Text { .. } => None,
        UserPart::Skill {
            name,
            digest,
            trigger: by,
            text,
            ..
        } => Some(ChatEvent::Skill {
            name: name.clone(),
            digest: digest.clone(),
            trigger: trigger(*by),
            content: shown(text),
        }),
        UserPart::Note { text } => Some(ChatEvent::Note { text: text.clone() }),
    });
    events.extend(others);
}

fn answered(part: &AssistantPart) -> Option<ChatEvent> {
    match part {
        AssistantPart::Text { text } => Some(ChatEvent::Text { text: text.clone() }),
        AssistantPart::Call(call) => Some(called(&call.id, canonical(&call.name), &call.arguments)),
        AssistantPart::Opaque { .. } => None,
    }
}
