//! What a session consists of: messages, in a form that belongs to no vendor.
//!
//! Skill text stands in parts of its own, with its digest, so that a compaction can tell it from
//! talk and a replay can make it again.

use serde::{Deserialize, Serialize};
use skillyard_format::tokens::estimate;

/// One message of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// What the user said, and what the runtime put beside it.
    User {
        /// Its parts, in order.
        parts: Vec<UserPart>,
    },
    /// What the model answered.
    Assistant {
        /// Its parts, in order.
        parts: Vec<AssistantPart>,
    },
    /// The results of all calls of the message before.
    Tool {
        /// One for each call.
        results: Vec<ToolResult>,
    },
}

/// A part of the user's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum UserPart {
    /// The user's own words.
    Text {
        /// The words.
        text: String,
    },
    /// A skill that the user or the router activated.
    Skill {
        /// The skill.
        name: String,
        /// Its tree digest.
        digest: String,
        /// What was written behind its name.
        arguments: String,
        /// Who wanted it: the user, unless it says otherwise.
        #[serde(default = "user", skip_serializing_if = "is_user")]
        trigger: Trigger,
        /// The envelope, or a receipt.
        text: String,
    },
    /// A line of the runtime, such as a shortlist.
    Note {
        /// The line.
        text: String,
    },
}

impl UserPart {
    /// What the model reads.
    pub fn text(&self) -> &str {
        match self {
            Self::Text { text } | Self::Skill { text, .. } | Self::Note { text } => text,
        }
    }
}

/// What activated a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// The user named it.
    User,
    /// The model loaded it.
    Model,
    /// The router chose it.
    Router,
}

impl Trigger {
    /// The word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::Router => "router",
        }
    }
}

/// A part of the model's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum AssistantPart {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A tool that it wants called.
    Call(ToolCall),
    /// Something that only its provider understands and wants back unchanged.
    Opaque {
        /// The provider.
        provider: String,
        /// The thing, as JSON.
        json: String,
    },
}

/// A call that a model wants to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's name for the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What the model reads.
    pub content: String,
    /// How it ended.
    pub outcome: CallOutcome,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallOutcome {
    /// As wished.
    Ok,
    /// It was not allowed.
    Denied,
    /// It was tried and did not work, or could not be understood.
    Failed,
}

impl Message {
    /// A message of the user alone.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User {
            parts: vec![UserPart::Text { text: text.into() }],
        }
    }

    /// The words that people read of it.
    pub fn words(&self) -> String {
        let texts: Vec<&str> = match self {
            Self::User { parts } => parts.iter().filter_map(user_words).collect(),
            Self::Assistant { parts } => parts.iter().filter_map(model_words).collect(),
            Self::Tool { .. } => Vec::new(),
        };
        texts.join("\n")
    }

    /// The calls of a model's message.
    pub fn calls(&self) -> Vec<&ToolCall> {
        let Self::Assistant { parts } = self else {
            return Vec::new();
        };
        let calls = parts.iter().filter_map(|part| match part {
            AssistantPart::Call(call) => Some(call),
            _ => None,
        });
        calls.collect()
    }

    /// About how many tokens it has.
    pub(crate) fn tokens(&self) -> usize {
        let texts: usize = match self {
            Self::User { parts } => parts.iter().map(|part| estimate(part.text())).sum(),
            Self::Assistant { parts } => {
                let calls = self.calls();
                let calls: usize = calls.iter().map(|call| estimate(&call.arguments) + 8).sum();
                let opaque = parts.iter().map(|part| match part {
                    AssistantPart::Opaque { json, .. } => estimate(json),
                    _ => 0,
                });
                estimate(&self.words()) + calls + opaque.sum::<usize>()
            }
            Self::Tool { results } => results.iter().map(|each| estimate(&each.content)).sum(),
        };
        texts + 4
    }
}

fn user() -> Trigger {
    Trigger::User
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
fn is_user(trigger: &Trigger) -> bool {
    *trigger == Trigger::User
}

fn user_words(part: &UserPart) -> Option<&str> {
    match part {
        UserPart::Text { text } => Some(text),
        _ => None,
    }
}

fn model_words(part: &AssistantPart) -> Option<&str> {
    match part {
        AssistantPart::Text { text } => Some(text),
        _ => None,
    }
}
