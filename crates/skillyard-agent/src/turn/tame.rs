//! The calls of an answer, made fit to be kept and to be sent back.
//!
//! What is in a session goes to the model with every request from then on, and perhaps to another
//! model. Servers refuse a request with two calls of one id, or with a name that no tool can have:
//! one odd answer would be the end of the session.

use std::collections::HashSet;

use crate::message::{AssistantPart, Message};
use crate::tool::{LEFT_OUT, MAX_ARGUMENTS, canonical};

/// Most bytes of the id of a call; some servers keep what their model thought in it.
const LONGEST_ID: usize = 16 << 10;
/// Most letters of the name of a tool.
const LONGEST_NAME: usize = 64;

/// Makes calls fit: each with an id of its own, a name as tools have them, and arguments that do not
/// fill the session. What cannot be a call of a tool is refused later, by that name.
pub(super) fn tame(parts: &mut [AssistantPart], before: &[Message]) {
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
    !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn name(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let letters = name.chars().take(LONGEST_NAME);
    let fitting: String = letters
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect();
    if fitting.is_empty() {
        return "unnamed".into();
    }
    fitting
}
