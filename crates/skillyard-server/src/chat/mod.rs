//! Conversations: what is said is kept, shown to whoever looks, and approved by whoever may.
//!
//! [`Chat`] is the seam to an agent with a model. Without one the server answers by itself, from
//! the catalog alone (`offline`), and says so.

mod conversation;
mod offline;
mod register;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) use conversation::Conversation;
pub(crate) use register::Register;

use crate::host::HostError;

/// Somebody to talk to. All of it may block: it is called on threads of its own.
pub trait Chat: Send + Sync + 'static {
    /// Who answers, such as the name of a model.
    fn name(&self) -> String;

    /// The sessions that are kept, the newest first.
    fn sessions(&self) -> Result<Vec<SessionSummary>, HostError>;

    /// Begins a session; gives its id.
    fn open(&self) -> Result<String, HostError>;

    /// What happened in a session so far; nothing when there is no such session.
    fn history(&self, session: &str) -> Result<Option<Vec<ChatEvent>>, HostError>;

    /// Takes a turn: answers `message`, telling what happens as it happens.
    ///
    /// The server has told the message itself already, and tells the end.
    fn say(&self, session: &str, message: &str, listener: &dyn Listener) -> Result<(), HostError>;
}

/// Whoever follows a turn.
pub trait Listener {
    /// Takes note of what happened.
    fn tell(&self, event: ChatEvent);
    /// Asks a person and waits for the answer; without one it is no.
    fn ask(&self, question: Question) -> Consent;
    /// Whether the person wants the turn to stop.
    fn is_stopped(&self) -> bool;
}

/// A session in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionSummary {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub title: String,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ChatEvent {
    /// The user said something.
    User {
        /// What.
        text: String,
    },
    /// A piece of an answer; pieces that follow one another belong together.
    Text {
        /// The piece.
        text: String,
    },
    /// A tool is called.
    ToolCall {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with.
        #[schema(value_type = Object)]
        input: Value,
    },
    /// A call ended.
    ToolResult {
        /// The call.
        id: String,
        /// Whether it went as wished.
        ok: bool,
        /// What it gave.
        output: String,
    },
    /// A person is asked.
    Approval {
        /// What.
        question: Question,
    },
    /// A person has answered.
    Decided {
        /// The question.
        id: String,
        /// The answer.
        consent: Consent,
    },
    /// Something went wrong.
    Problem {
        /// What.
        text: String,
    },
    /// The turn is over.
    Done,
}

/// Something that only a person can allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Question {
    /// Its id, unlike that of any other in the session.
    pub id: String,
    /// What is to happen.
    pub action: String,
    /// Why it is asked.
    pub reason: String,
}

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Consent {
    /// Yes, this once.
    Once,
    /// Yes, until the session ends.
    Session,
    /// Yes, whenever it is exactly this.
    Always,
    /// No.
    No,
}
