//! Limits of the calls of a turn: audit log, repetition, runs and tokens.

use std::collections::HashMap;
use std::fmt::Write as _;

use skillyard_audit::{Event, Outcome};
use skillyard_format::Digest;
use skillyard_format::text::counted;

use super::{Calls, Ended};
use crate::message::CallOutcome;
use crate::session::Spent;

/// Bytes that a turn may add to the audit log, which drops its oldest entries.
const MAX_AUDIT_BYTES: usize = 1_048_576;
/// Characters of a model's text in the entry of a failed call.
const MAX_QUOTED: usize = 200;

/// The bytes that the calls of a turn have added to the audit log.
#[derive(Debug, Default)]
pub(crate) struct AuditQuota(usize);

impl AuditQuota {
    /// Adds an event.
    pub(super) fn note(&mut self, event: &Event) {
        self.0 = self.0.saturating_add(event.size());
    }

    /// Whether the quota is used up.
    pub(crate) fn is_spent(&self) -> bool {
        self.0 >= MAX_AUDIT_BYTES
    }
}

/// Shortens what a model named in the event of a failed call. Commands that ran stay whole.
pub(super) fn brief(mut event: Event) -> Event {
    let is_run = event.detail.contains_key("exit") || event.detail.contains_key("argv");
    if event.outcome != Outcome::Failed || is_run {
        return event;
    }
    let path = event.detail.get_mut("path");
    for text in event.reason.as_mut().into_iter().chain(path) {
        if let Some((at, _)) = text.char_indices().nth(MAX_QUOTED) {
            let more = counted(text[at..].chars().count(), "more character");
            text.truncate(at);
            let _ = write!(text, "… and {more}");
        }
    }
    event
}

/// Identical results of the same call before the model is warned.
const WARN_REPEATS: usize = 3;
/// Identical results before the turn ends.
const MAX_REPEATS: usize = 6;

/// The calls of a turn and their last results. A call makes progress if its result changes.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    made: HashMap<(String, Digest), LastResult>,
    /// How often the last call had the same result.
    last: usize,
}

#[derive(Debug)]
struct LastResult {
    result: Digest,
    times: usize,
}

impl Repeats {
    /// Notes a call; returns whether to warn the model that it repeats itself.
    pub(super) fn note(&mut self, tool: &str, arguments: &str, ended: &Ended) -> bool {
        let call = (tool.to_owned(), Digest::of(arguments.as_bytes()));
        let is_change = matches!(tool, "Write" | "Edit") && ended.outcome == CallOutcome::Ok;
        if is_change && !self.made.contains_key(&call) {
            // After a change the same result counts as progress.
            self.made.values_mut().for_each(|made| made.times = 0);
        }
        let result = Digest::of(ended.content.as_bytes());
        let made = self
            .made
            .entry(call)
            .or_insert(LastResult { result, times: 0 });
        if made.result != result {
            *made = LastResult { result, times: 0 };
        }
        made.times += 1;
        self.last = made.times;
        self.last >= WARN_REPEATS
    }

    /// Whether the turn must end.
    pub(crate) fn are_too_many(&self) -> bool {
        self.last >= MAX_REPEATS
    }
}

impl Calls<'_> {
    /// Whether no more may be run in this session.
    pub(super) fn spent(&self) -> Option<Ended> {
        let limit = self.session.prompt.settings.limits.runs;
        let is_spent = self.session.state.runs >= limit;
        is_spent.then(|| {
            denied(format!(
                "this session has run {limit} scripts and commands, its limit"
            ))
        })
    }

    /// Whether no more scripts of a skill may be run in this session.
    pub(super) fn spent_by(&self, skill: &str) -> Option<Ended> {
        let limit = self.session.prompt.settings.limits.skill_runs;
        let is_spent = limit > 0 && self.spent_of(skill).runs >= limit;
        is_spent.then(|| {
            denied(format!(
                "this session has run {limit} scripts of `{skill}`, the limit for one skill"
            ))
        })
    }

    /// Why so many more tokens of a skill are too many for this session, if they are.
    pub(crate) fn too_much(&self, skill: &str, tokens: usize) -> Option<String> {
        let limit = self.session.prompt.settings.limits.skill_tokens;
        let spent = self.spent_of(skill).tokens;
        let is_too_much = limit > 0 && spent.saturating_add(tokens) > limit;
        is_too_much.then(|| {
            format!(
                "these are about {tokens} tokens of `{skill}`, and of {limit}, the limit for one skill in a session, {} are left",
                limit.saturating_sub(spent)
            )
        })
    }

    /// Counts what a skill took.
    pub(super) fn spend(&mut self, skill: &str, more: Spent) {
        let spent = self.session.state.spent.entry(skill.to_owned());
        let spent = spent.or_default();
        spent.tokens = spent.tokens.saturating_add(more.tokens);
        spent.runs = spent.runs.saturating_add(more.runs);
    }

    fn spent_of(&self, skill: &str) -> Spent {
        let spent = self.session.state.spent.get(skill);
        spent.copied().unwrap_or_default()
    }
}

pub(super) fn denied(reason: String) -> Ended {
    Ended::denied(format!("Denied: {reason}"), reason)
}
