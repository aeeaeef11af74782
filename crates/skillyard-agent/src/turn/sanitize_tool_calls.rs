//! Sanitizes the tool calls of an answer before they are stored.
//!
//! What is in a session is sent with every later request, perhaps to another model. Servers reject a
//! request with two calls of one ID or with an invalid tool name, so one invalid answer would end the
//! session.

use std::collections::HashSet;

use crate::message::{AssistantPart, Message};
use crate::tool::{LEFT_OUT, MAX_ARGUMENTS};
use crate::tool_spec::canonical;

/// Bytes of the ID of a call; some servers store reasoning in it.
const MAX_CALL_ID: usize = 16 << 10;
/// Characters of the name of a tool.
const MAX_TOOL_NAME: usize = 64;

/// Gives each call a unique ID, a valid tool name and arguments of limited size. Calls of unknown tools
/// are refused later.
pub(super) fn sanitize_tool_calls(parts: &mut [AssistantPart], before: &[Message]) {
    let before_it = before.iter().flat_map(Message::calls);
    let mut taken: HashSet<String> = before_it.map(|call| call.id.clone()).collect();
    for (at, part) in parts.iter_mut().enumerate() {
        let AssistantPart::Call(call) = part else {
            continue;
        };
        if !is_id(&call.id) || taken.contains(&call.id) {
            let own = format!("call_{}_{at}", before.len());
            let more = (1..).map(|more| format!("{own}_{more}"));
            let mut free = std::iter::once(own.clone()).chain(more);
            call.id = free.find(|id| !taken.contains(id)).unwrap_or(own);
        }
        taken.insert(call.id.clone());
        call.name = name(canonical(&call.name));
        if call.arguments.len() > MAX_ARGUMENTS {
            call.arguments = format!("[{}{LEFT_OUT}", call.arguments.len());
        }
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_CALL_ID && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn name(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let letters = name.chars().take(MAX_TOOL_NAME);
    let fitting: String = letters
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect();
    if fitting.is_empty() {
        return "unnamed".into();
    }
    fitting
}
