//! Compaction: which messages a model gets when not all fit.
//!
//! The session keeps everything; only the view for the model shrinks. The last turns stay whole. Of the
//! turn before them the user's message and the last steps stay. If that does not fit either, the longest
//! results and calls are shortened. Active skills of older turns are attached again, the latest first,
//! within their share of the budget.

use std::ops::Range;

use skillyard_format::tokens::estimate;

use super::Session;
use super::shorten::{min_tokens, shorten};
use crate::message::{Message, Trigger, UserPart};

/// Share of the budget, in percent, that attached skills may take.
const SKILL_SHARE: usize = 30;

/// What a model gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionPlan {
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
pub fn plan(session: &Session, tokens: usize) -> CompactionPlan {
    let costs: Vec<usize> = session.messages.iter().map(Message::tokens).collect();
    if costs.iter().sum::<usize>() <= tokens {
        return CompactionPlan {
            messages: session.messages.clone(),
            omitted: 0,
            attached: Vec::new(),
            dropped: Vec::new(),
        };
    }
    let share = tokens * SKILL_SHARE / 100;
    let kept = CompactionWindow::of(&session.messages, &costs, tokens - share);
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
    CompactionPlan {
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

/// The messages that stay: whole turns, and of the turn before them the user's message and the end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CompactionWindow {
    /// The first message that stays: a user's, so that no result is without its call.
    pub(super) start: usize,
    /// What is left out of the turn that it begins.
    gap: Range<usize>,
    count: usize,
}

impl CompactionWindow {
    /// The messages that stay in so many tokens, where each takes so many.
    pub(super) fn of(messages: &[Message], costs: &[usize], tokens: usize) -> Self {
        let count = messages.len();
        let (whole, left) = whole_turns(messages, costs, tokens);
        let kept = |start, gap| Self { start, gap, count };
        let Some(start) = messages[..whole].iter().rposition(is_user) else {
            return kept(whole, whole..whole);
        };
        // The last turn stays, however little of it fits.
        let is_last = whole == count;
        let left = match left.checked_sub(costs[start]) {
            Some(left) => left,
            None if is_last => 0,
            None => return kept(whole, whole..whole),
        };
        kept(
            start,
            start + 1..end_of_turn(messages, start + 1..whole, left, is_last),
        )
    }

    /// Whether a message stays.
    pub(super) fn has(&self, at: usize) -> bool {
        at >= self.start && !self.gap.contains(&at)
    }

    /// How many messages are left out.
    pub(super) fn omitted(&self) -> usize {
        self.start + self.gap.len()
    }

    /// The messages that stay, and a word where some are missing.
    pub(super) fn of_all(&self, messages: &[Message]) -> Vec<Message> {
        let kept = (self.start..self.count).filter(|at| self.has(*at));
        let mut kept: Vec<Message> = kept.map(|at| messages[at].clone()).collect();
        if let Some(Message::User { parts }) = kept.first_mut()
            && !self.gap.is_empty()
        {
            let missing = self.gap.len();
            let text = format!(
                "The {missing} messages that followed were left out because they did not fit."
            );
            parts.push(UserPart::Note { text });
        }
        kept
    }
}

fn is_user(message: &Message) -> bool {
    matches!(message, Message::User { .. })
}

/// Where the turns begin that fit as they are, and how many tokens they leave.
fn whole_turns(messages: &[Message], costs: &[usize], tokens: usize) -> (usize, usize) {
    let mut left = tokens;
    let mut whole = (messages.len(), tokens);
    for (at, cost) in costs.iter().enumerate().rev() {
        match left.checked_sub(*cost) {
            Some(rest) => left = rest,
            None => break,
        }
        if is_user(&messages[at]) {
            whole = (at, left);
        }
    }
    whole
}

/// Where the end of a turn begins that fits once its results and calls are as short as they can be:
/// with an answer of the model. At least one stays of the last turn.
fn end_of_turn(messages: &[Message], turn: Range<usize>, tokens: usize, is_last: bool) -> usize {
    let mut left = Some(tokens);
    let mut end = turn.end;
    for at in turn.clone().rev() {
        left = left.and_then(|left| left.checked_sub(min_tokens(&messages[at])));
        let is_needed = is_last && end == turn.end;
        if left.is_none() && !is_needed {
            break;
        }
        if matches!(messages[at], Message::Assistant { .. }) {
            end = at;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::message::{AssistantPart, CallOutcome, ToolCall, ToolResult};

    /// A task, and so many calls with long arguments.
    fn turn(task: &str, calls: usize) -> Vec<Message> {
        let mut messages = vec![Message::user(task)];
        for number in 0..calls {
            let id = format!("{task}-{number}");
            let call = ToolCall {
                id: id.clone(),
                name: "Write".into(),
                arguments: format!(
                    r#"{{"path":"{number}.txt","content":"{}"}}"#,
                    "some words ".repeat(300)
                ),
            };
            let parts = vec![AssistantPart::Call(call)];
            messages.push(Message::Assistant { parts });
            let result = ToolResult {
                id,
                name: "Write".into(),
                content: "written".into(),
                outcome: CallOutcome::Ok,
            };
            let results = vec![result];
            messages.push(Message::Tool { results });
        }
        messages
    }

    fn kept(messages: &[Message], tokens: usize) -> CompactionWindow {
        let costs: Vec<usize> = messages.iter().map(Message::tokens).collect();
        CompactionWindow::of(messages, &costs, tokens)
    }

    #[test]
    fn of_a_long_turn_the_task_and_the_end_stay() {
        let messages = turn("write it all", 12);
        let kept = kept(&messages, 800);
        assert_eq!((kept.start, kept.gap.start), (0, 1));
        assert!(
            !kept.gap.is_empty() && kept.gap.end < messages.len() - 2,
            "{kept:?}"
        );
        let view = kept.of_all(&messages);
        assert!(matches!(view[1], Message::Assistant { .. }));
        let Message::User { parts } = &view[0] else {
            panic!("{view:?}");
        };
        let words: Vec<&str> = parts.iter().map(UserPart::text).collect();
        assert_eq!(words[0], "write it all");
        assert!(
            words[1].contains("messages that followed were left out"),
            "{words:?}"
        );
    }

    #[test]
    fn the_turn_before_a_short_message_stays() {
        let mut messages = turn("first", 1);
        let middle = messages.len();
        messages.extend(turn("write it all", 12));
        messages.push(Message::user("go on"));
        let kept = kept(&messages, 900);
        assert_eq!(kept.start, middle);
        assert!(kept.has(middle) && kept.has(messages.len() - 1));
        assert!(!kept.has(0) && !kept.has(middle + 1));
    }

    #[test]
    fn the_last_call_stays_however_little_fits() {
        let messages = turn("task", 3);
        let kept = kept(&messages, 1);
        let stays: Vec<usize> = (0..messages.len()).filter(|at| kept.has(*at)).collect();
        assert_eq!(stays, [0, 5, 6]);
    }
}
