//! Models: one file for each way to ask one.
//!
//! Only the files here know a vendor's JSON. What goes in is a [`ModelRequest`], what comes out a
//! [`Completion`]; pieces of text are told on the way.

pub mod anthropic;
mod assemble;
mod error;
pub mod http;
pub mod offline;
pub mod openai_chat;
pub mod openai_responses;
mod redacting_provider;
mod sse;
mod stop;

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillyard_format::tokens;

use crate::message::{AssistantPart, Message};
use crate::tool_spec::ToolSpec;

pub use error::ProviderError;
pub use redacting_provider::{RedactingProvider, is_secret_key};
pub use stop::Stop;

/// Something that answers.
pub trait Provider: Send + Sync {
    /// Its name, such as `anthropic`.
    fn name(&self) -> &str;
    /// Asks it once; `on` hears of what comes meanwhile.
    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError>;
}

/// What a model is asked.
#[derive(Debug, Clone, Serialize)]
pub struct ModelRequest<'a> {
    /// The model's own name.
    pub model: &'a str,
    /// The system prompt.
    pub system: &'a str,
    /// The tools it may call.
    pub tools: &'a [ToolSpec],
    /// The session so far.
    pub messages: &'a [Message],
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// The shape that the answer must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<&'a Value>,
}

/// What comes while a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Words.
    Text(&'a str),
    /// The request failed before anything came and is made again after so many milliseconds.
    Retry(&'a str, u64),
}

/// A model's whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// What it said.
    pub parts: Vec<AssistantPart>,
    /// Why it stopped.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
}

impl Completion {
    /// Whether it wants calls made.
    pub(crate) fn has_calls(&self) -> bool {
        let is_call = |part: &AssistantPart| matches!(part, AssistantPart::Call(_));
        self.parts.iter().any(is_call)
    }

    /// Its words.
    pub(crate) fn text(&self) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            AssistantPart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        words.collect()
    }
}

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All that it read, cached or not.
    pub input: u64,
    /// How much of that came from a cache.
    pub cached: u64,
    /// What it wrote.
    pub output: u64,
    /// Whether some of it was not counted by the server, but estimated here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// About what a request cost whose server did not count.
    pub(crate) fn estimate(request: &ModelRequest<'_>, answer: &[AssistantPart]) -> Self {
        let size = |text: &str| tokens::estimate(text) as u64;
        let tools = serde_json::to_string(request.tools).unwrap_or_default();
        let messages = request.messages.iter().map(Message::tokens);
        let answer = Message::Assistant {
            parts: answer.to_vec(),
        };
        Self {
            input: size(request.system) + size(&tools) + messages.sum::<usize>() as u64,
            cached: 0,
            output: answer.tokens() as u64,
            estimated: true,
        }
    }

    /// What a request cost, as its server counted; as is estimated where it did not.
    pub(crate) fn of(
        provider: &dyn Provider,
        request: &ModelRequest<'_>,
        completion: &Completion,
    ) -> Self {
        let is_counted = completion.usage.input > 0 || completion.usage.output > 0;
        if is_counted || provider.name() == offline::NAME {
            return completion.usage;
        }
        Self::estimate(request, &completion.parts)
    }

    /// Adds what another request cost.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.estimated |= other.estimated;
    }
}
