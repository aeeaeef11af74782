//! What a session may run, and what one skill may take of it.

use super::{Calls, Ended};
use crate::session::Spent;

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
