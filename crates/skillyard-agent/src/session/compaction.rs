//! Which messages a model still gets when not all fit.
//!
//! The session keeps everything; only the view for the model shrinks. The last messages stay
//! whole, unless not even the last turn fits: then the longest results in it are cut. Of the older
//! ones nothing stays but the skills that are still active: they are attached again, the latest
//! first, as far as their share of the budget goes.

use skillyard_format::tokens::estimate;

use super::Session;
use super::cut::cut;
use crate::front_end::Trigger;
use crate::message::{Message, UserPart};

/// Share of the budget, in percent, that attached skills may take.
const SKILL_SHARE: usize = 30;
/// Tokens that stay of a result in any case.
const LEAST_OF_RESULT: usize = 100;

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
    let first = first_kept(&session.messages, &costs, tokens - share);
    let mut parts = Vec::new();
    if first > 0 {
        parts.push(UserPart::Note {
            text: format!(
                "The first {first} messages of this session were left out because they did not fit."
            ),
        });
    }
    let (mut attached, mut dropped, mut used) = (Vec::new(), Vec::new(), 0);
    for skill in session.state.activated.iter().rev() {
        if skill.message >= first {
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
    messages.extend_from_slice(&session.messages[first..]);
    cut_results(&mut messages, tokens);
    Plan {
        messages,
        omitted: first,
        attached,
        dropped,
    }
}

/// The first message that stays: a user's, so that no result is without its call.
fn first_kept(messages: &[Message], costs: &[usize], tokens: usize) -> usize {
    let mut left = tokens;
    let mut first = messages.len();
    for (at, cost) in costs.iter().enumerate().rev() {
        match left.checked_sub(*cost) {
            Some(rest) => left = rest,
            None => break,
        }
        if matches!(messages[at], Message::User { .. }) {
            first = at;
        }
    }
    if first < messages.len() {
        return first;
    }
    // Not even the last turn fits: it stays all the same.
    let is_user = |message: &Message| matches!(message, Message::User { .. });
    messages.iter().rposition(is_user).unwrap_or_default()
}

/// Cuts the longest results until all messages fit, or until no result is worth cutting.
fn cut_results(messages: &mut [Message], tokens: usize) {
    let total: usize = messages.iter().map(Message::tokens).sum();
    let sizes = messages.iter().flat_map(|message| match message {
        Message::Tool { results } => results.as_slice(),
        _ => &[],
    });
    let sizes: Vec<usize> = sizes.map(|each| estimate(&each.content)).collect();
    let kept = |most: usize| -> usize { sizes.iter().map(|size| *size.min(&most)).sum() };
    let rest = total.saturating_sub(kept(usize::MAX));
    let mut most = sizes.iter().copied().max().unwrap_or_default();
    if total <= tokens || most <= LEAST_OF_RESULT {
        return;
    }
    while rest + kept(most) > tokens && most > LEAST_OF_RESULT {
        most = (most * 3 / 4).max(LEAST_OF_RESULT);
    }
    for message in messages {
        if let Message::Tool { results } = message {
            for result in results {
                cut(&mut result.content, most);
            }
        }
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
