//! How much a session may send at once.
//!
//! A request is the prompt, the messages and the answer that comes back, and all of it must fit
//! into the context of the model. What the settings say of that may be wrong, and most servers do
//! not tell; a server that refuses a request as too long has told something.

use skillyard_format::tokens::estimate;

use super::Session;
use super::compaction::plan;
use crate::message::Message;

/// Largest share of the context, as a divisor, that is left to an answer.
const ANSWER_SHARE: usize = 4;
/// Share of what is left, in percent, that messages take: tokens are only estimated.
const MESSAGES_SHARE: usize = 80;

impl Session {
    /// Tokens that the model is taken to have room for.
    pub fn context(&self) -> usize {
        let said = || self.prompt.settings.limits.context();
        self.state.context.unwrap_or_else(said)
    }

    /// Takes note of what the user says of the model's context: it takes the place of what was
    /// found out, and of more than it.
    pub fn has_context(&mut self, tokens: usize) {
        if self.state.context.is_some() || tokens < self.context() {
            self.state.context = Some(tokens);
        }
    }

    /// Tokens of one answer.
    pub(crate) fn answer_tokens(&self) -> u32 {
        let share = u32::try_from(self.context() / ANSWER_SHARE).unwrap_or(u32::MAX);
        let found = self.state.answer.unwrap_or(u32::MAX);
        let said = self.prompt.settings.limits.answer_tokens;
        said.min(share).min(found).max(1)
    }

    /// Tokens of messages that are sent at once.
    pub(crate) fn room(&self) -> usize {
        let taken = self.answer_tokens() as usize + self.prompt_tokens();
        self.context().saturating_sub(taken) * MESSAGES_SHARE / 100
    }

    /// Takes the model to have room for half of what would be sent now; tells whether that makes
    /// the request shorter.
    pub(crate) fn tighten(&mut self) -> bool {
        let before = self.request_tokens();
        self.state.context = Some(before / 2);
        self.request_tokens() * 10 <= before * 9
    }

    fn request_tokens(&self) -> usize {
        let messages = plan(self, self.room()).messages;
        let messages: usize = messages.iter().map(Message::tokens).sum();
        self.prompt_tokens() + messages + self.answer_tokens() as usize
    }

    fn prompt_tokens(&self) -> usize {
        let tools = serde_json::to_string(&self.prompt.tools).unwrap_or_default();
        estimate(&self.prompt.system) + estimate(&tools)
    }
}
