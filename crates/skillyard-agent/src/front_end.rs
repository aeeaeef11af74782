//! What a turn tells whoever shows it, and what it asks.
//!
//! A terminal, a web page and a test all stand behind [`FrontEnd`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Serialize, Serializer};
use skillyard_format::difference::Difference;

use crate::message::{CallOutcome, Trigger};
use crate::provider::Usage;
use crate::trace_context::TraceParent;

/// Something that happened in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TurnEvent {
    /// The turn began.
    Started {
        /// The session.
        session: String,
        /// The model, as `provider/name`.
        model: String,
    },
    /// A skill entered the session.
    SkillActivated {
        /// The skill.
        name: String,
        /// Its tree digest.
        digest: String,
        /// Who wanted it.
        trigger: Trigger,
        /// About how many tokens it took; none for a receipt.
        tokens: usize,
        /// What entered; lines for programs leave it out.
        #[serde(skip)]
        text: String,
    },
    /// Words of the model.
    Text {
        /// The next piece.
        delta: String,
    },
    /// A tool is about to be called.
    ToolCall {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments, in one short line.
        summary: String,
        /// Its arguments as the model wrote them; lines for programs leave them out.
        #[serde(skip)]
        arguments: String,
    },
    /// A call ended.
    ToolResult {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// How it ended.
        outcome: CallOutcome,
        /// The beginning of what the model reads.
        preview: String,
        /// All that the model reads; lines for programs leave it out.
        #[serde(skip)]
        content: String,
        /// How long it took.
        milliseconds: u64,
    },
    /// A request to the model failed and is made again.
    Retry {
        /// Why.
        reason: String,
        /// After how long.
        milliseconds: u64,
    },
    /// Something that was done otherwise than one would expect.
    Note {
        /// What, and why.
        text: String,
    },
    /// What the last request cost.
    Usage {
        /// It alone.
        #[serde(flatten)]
        request: Usage,
        /// All of the session with it.
        session: Usage,
    },
    /// The turn is over.
    Done {
        /// Why it ended.
        reason: EndReason,
        /// How often the model was asked.
        steps: usize,
    },
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The model had nothing to add.
    Answered,
    /// Skills were activated, and no model was needed.
    Activated,
    /// The answer was cut by its own limit.
    Length,
    /// The model declined, or its server did.
    Refused,
    /// The model said nothing at all.
    Empty,
    /// It was asked as often as is allowed.
    StepLimit,
    /// It made the same call again and again.
    Repetition,
    /// The session has used up its tokens.
    TokenBudget,
    /// Its calls have added their share to the audit log.
    LogShare,
    /// The user stopped it, or the server ended.
    Cancelled,
}

impl EndReason {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Activated => "activated",
            Self::Length => "length",
            Self::Refused => "refused",
            Self::Empty => "empty",
            Self::StepLimit => "step_limit",
            Self::Repetition => "repetition",
            Self::TokenBudget => "token_budget",
            Self::LogShare => "log_share",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The notice of a turn that ends because the server exits.
pub(crate) const SERVER_ENDED: &str = "(stopped: the server ended)";

/// The notices of turns that end without an answer, or with an incomplete one.
const NOTICES: [(EndReason, &str); 9] = [
    (EndReason::Cancelled, "(stopped by the user)"),
    (EndReason::Cancelled, SERVER_ENDED),
    (
        EndReason::StepLimit,
        "(stopped: the limit of steps was reached)",
    ),
    (
        EndReason::Repetition,
        "(stopped: the same call was made again and again)",
    ),
    (
        EndReason::TokenBudget,
        "(stopped: the session has used up its tokens)",
    ),
    (
        EndReason::LogShare,
        "(stopped: the turn has added its share to the audit log)",
    ),
    (
        EndReason::Length,
        "(cut off: the limit of tokens was reached)",
    ),
    (EndReason::Refused, "(refused by the model or its server)"),
    (EndReason::Empty, "(the model said nothing)"),
];

impl EndReason {
    /// The text that ends a turn without an answer; `None` if there is an answer.
    pub(crate) fn notice(self) -> Option<&'static str> {
        let mut notices = NOTICES.iter();
        notices.find_map(|(reason, notice)| (*reason == self).then_some(*notice))
    }
}

/// Whether a text is such a notice.
pub(crate) fn is_notice(text: &str) -> bool {
    NOTICES.iter().any(|(_, notice)| *notice == text)
}

/// A question that only a person can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApprovalRequest {
    /// The call that waits.
    pub call: String,
    /// What is to happen.
    pub action: Action,
    /// Why it is asked.
    pub reason: String,
}

/// What is to be approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// A script of a skill.
    Script {
        /// The skill.
        skill: String,
        /// What it consists of, to the byte.
        digest: String,
        /// The script.
        script: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// What it reads, if anything is given to it.
        #[serde(skip_serializing_if = "Option::is_none")]
        stdin: Option<String>,
        /// Why [`ApprovalAnswer::Digest`] is no answer to it, if it is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        unshown: Option<String>,
    },
    /// A shell command in the workspace.
    Command {
        /// The command.
        command: String,
    },
    /// A change to a file of the workspace.
    Change {
        /// `Write` or `Edit`.
        tool: String,
        /// The file.
        path: String,
        /// What will be other in it; nothing where it is no text, or the change cannot be made.
        #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
        difference: Option<Difference>,
    },
    /// A tool of an MCP server.
    Lent {
        /// The tool, as `mcp__SERVER__TOOL`.
        tool: String,
        /// Its arguments, as JSON.
        arguments: String,
    },
}

impl Action {
    /// Whether [`ApprovalAnswer::Digest`] is an answer to it.
    pub fn may_last(&self) -> bool {
        matches!(self, Self::Script { unshown: None, .. })
    }

    /// The answer, or as much of it as there can be.
    pub fn within(&self, answer: ApprovalAnswer) -> ApprovalAnswer {
        match answer {
            ApprovalAnswer::Digest if !self.may_last() => ApprovalAnswer::Session,
            answer => answer,
        }
    }
}

/// How many lines of a change programs and pages are told.
pub const MAX_TOLD: usize = 1_000;

#[expect(clippy::ref_option, reason = "serde gives it so")]
fn as_text<S: Serializer>(
    difference: &Option<Difference>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    difference
        .as_ref()
        .map(|difference| difference.folded(MAX_TOLD).to_string())
        .serialize(serializer)
}

/// The answer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Yes, this once.
    Once,
    /// Yes, until the session ends.
    Session,
    /// Yes, whenever the skill has these bytes; only for scripts.
    Digest,
    /// No.
    No,
    /// There is none, which allows nothing.
    Unanswered(Unanswered),
}

/// Why a question has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// Nobody is there who could be asked.
    NobodyThere,
    /// Nobody answered in time.
    Late {
        /// How long the question waited.
        minutes: u64,
    },
    /// The turn was stopped first.
    Stopped,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NobodyThere => formatter.write_str("nobody could be asked"),
            Self::Late { minutes } => {
                write!(formatter, "nobody answered within {minutes} minutes")
            }
            Self::Stopped => formatter.write_str("the turn was stopped before anybody answered"),
        }
    }
}

/// Who stopped a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopper {
    /// The user.
    User,
    /// The server, which ends.
    Server,
}

/// Whoever shows a turn.
pub trait FrontEnd {
    /// Takes note of what happened.
    fn event(&mut self, event: &TurnEvent);
    /// Asks the user; who cannot ask says so.
    fn approve(&mut self, request: &ApprovalRequest) -> ApprovalAnswer;
    /// Becomes true when the user wants the turn to stop.
    fn cancel(&self) -> Arc<AtomicBool>;
    /// Who stopped a turn that was stopped.
    fn stopper(&self) -> Stopper {
        Stopper::User
    }
    /// The span of whoever asked for the turn.
    fn parent(&self) -> Option<&TraceParent> {
        None
    }
}
