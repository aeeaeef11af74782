//! Which messages a model still gets when not all fit.
//!
//! The session keeps everything; only the view for the model shrinks. The last turns stay whole, and
//! of the one before them what the user said and the end of what was done. Where that does not fit
//! either, the longest results and calls are cut. Of the older ones nothing stays but the skills that
//! are still active: they are attached again, the latest first, as far as their share of the budget
//! goes.

use skillyard_format::tokens::estimate;

use super::Session;
use super::kept::Kept;
use super::shorten::shorten;
use crate::front_end::Trigger;
use crate::message::{Message, UserPart};

/// Share of the budget, in percent, that attached skills may take.
const SKILL_SHARE: usize = 30;

/// What a model gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The messages.
    pub messages: Vec<Message>,
    /// How many messages were left out.
    pub omitted: usize,
    /// Skills that were attached again.
    pub attached: Vec<String>,
    /// Active skills that did not fit; they can be loaded again.
    pub dropped: Vec<String>,
}

/// Makes a session fit into a number of tokens. The same session gives the same plan.
pub fn plan(session: &Session, tokens: usize) -> Plan {
    let costs: Vec<usize> = session.messages.iter().map(Message::tokens).collect();
    if costs.iter().sum::<usize>() <= tokens {
        return Plan {
            messages: session.messages.clone(),
            omitted: 0,
            attached: Vec::new(),
            dropped: Vec::new(),
        };
    }
    let share = tokens * SKILL_SHARE / 100;
    let kept = Kept::of(&session.messages, &costs, tokens - share);
    let mut parts = Vec::new();
    if kept.start > 0 {
        parts.push(UserPart::Note {
            text: format!(
                "The first {} messages of this session were left out because they did not fit.",
                kept.start
            ),
        });
    }
    let (mut attached, mut dropped, mut used) = (Vec::new(), Vec::new(), 0);
    for skill in session.state.activated.iter().rev() {
        if kept.has(skill.message) {
            continue;
        }
        let text = envelope(&session.messages[skill.message], &skill.digest);
        let size = text.as_deref().map_or(usize::MAX, estimate);
        match text {
            Some(text) if used + size <= share => {
                used += size;
                attached.push(skill.name.clone());
                parts.push(UserPart::Skill {
                    name: skill.name.clone(),
                    digest: skill.digest.clone(),
                    arguments: String::new(),
                    trigger: Trigger::User,
                    text,
                });
            }
            _ => dropped.push(skill.name.clone()),
        }
    }
    if !dropped.is_empty() {
        parts.push(UserPart::Note {
            text: format!(
                "Skills that were loaded and did not fit: {}. Load them again if you need them.",
                dropped.join(", ")
            ),
        });
    }
    let mut messages = Vec::new();
    if !parts.is_empty() {
        messages.push(Message::User { parts });
    }
    messages.extend(kept.of_all(&session.messages));
    shorten(&mut messages, tokens);
    Plan {
        messages,
        omitted: kept.omitted(),
        attached,
        dropped,
    }
}

/// The envelope in a message that has this digest.
fn envelope(message: &Message, digest: &str) -> Option<String> {
    let mark = format!("digest=\"{digest}\"");
    let is_it = |text: &str| text.starts_with("<skill_content") && text.contains(&mark);
    match message {
        Message::User { parts } => parts
            .iter()
            .map(UserPart::text)
            .find(|text| is_it(text))
            .map(str::to_owned),
        Message::Tool { results } => results
            .iter()
            .find(|each| is_it(&each.content))
            .map(|each| each.content.clone()),
        Message::Assistant { .. } => None,
    }
}
