//! What is told about a session, as it travels to pages and programs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillyard_agent::front_end::{Action, ApprovalAnswer, ApprovalRequest, EndReason, MAX_TOLD};
use skillyard_agent::message::{CallOutcome, Trigger};
use skillyard_agent::provider::Usage;
use skillyard_format::text::counted;
use skillyard_format::text::{escape_control, escape_invisible};
use utoipa::ToSchema;

use crate::command_line::command_line;
use crate::path_redactor::PathRedactor;

/// How much of a text is shown; the model reads all of it.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

/// What a session cost, in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Tokens {
    /// What models read.
    input: u64,
    /// How much of that came from caches.
    cached: u64,
    /// What models wrote.
    output: u64,
    /// Whether a model's server did not count all of it, and some is an estimate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    estimated: bool,
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Self {
        Self {
            input: usage.input,
            cached: usage.cached,
            output: usage.output,
            estimated: usage.estimated,
        }
    }
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ChatEvent {
    /// Everything that was told before is told anew.
    Reset,
    /// The user said something.
    User {
        /// What.
        text: String,
    },
    /// A turn began.
    Started {
        /// The model, as `SERVER/NAME`.
        model: String,
    },
    /// A skill entered the session without a call of the model.
    Skill {
        /// The skill.
        name: String,
        /// What it consists of.
        digest: String,
        /// Who wanted it: `user` or `router`.
        trigger: String,
        /// What entered.
        content: String,
    },
    /// The skills that are active now.
    Active {
        /// In the order in which they became so.
        skills: Vec<ActiveSkill>,
    },
    /// A line of the runtime, such as a shortlist of skills.
    Note {
        /// The line.
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
        /// What it is called with, with `\u{…}` for what would deceive; a text if the model wrote
        /// no JSON.
        #[schema(value_type = Value)]
        input: Value,
    },
    /// A call ended.
    ToolResult {
        /// The call.
        id: String,
        /// How it ended.
        outcome: CallEnd,
        /// What it gave.
        output: String,
        /// How long it took, if that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        milliseconds: Option<u64>,
    },
    /// A person is asked.
    Approval {
        /// What.
        question: ApprovalQuestion,
    },
    /// A person has answered, or nobody did.
    Decided {
        /// The question.
        id: String,
        /// The answer; `no` where there is none.
        consent: Consent,
        /// Why there is none, if nobody answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        unanswered: Option<String>,
    },
    /// A request to the model failed and is made again.
    Retry {
        /// Why.
        reason: String,
        /// After how long.
        milliseconds: u64,
    },
    /// What a request to the model cost, in tokens; where a session is told anew, all those before.
    Usage {
        /// All that it read.
        input: u64,
        /// How much of that came from a cache.
        cached: u64,
        /// What it wrote.
        output: u64,
        /// Whether the model's server did not count, and this is an estimate.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        estimated: bool,
        /// What the whole session cost until then.
        session: Tokens,
    },
    /// Something went wrong.
    Problem {
        /// What.
        text: String,
    },
    /// The turn is over.
    Done {
        /// Why, if it is known: `answered`, `cancelled`, `step_limit` and so on.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl ChatEvent {
    /// The event without paths of this machine; what a user said stays.
    pub(crate) fn redacted(mut self, redactor: &PathRedactor) -> Self {
        match &mut self {
            Self::Skill { content: text, .. }
            | Self::Note { text }
            | Self::Text { text }
            | Self::Problem { text }
            | Self::Retry { reason: text, .. }
            | Self::ToolResult { output: text, .. } => *text = redactor.redact(text),
            Self::ToolCall { input, .. } => *input = redactor.value(input.take()),
            Self::Approval { question } => {
                for text in [&mut question.reason, &mut question.command] {
                    *text = redactor.redact(text);
                }
                if let Some(difference) = &mut question.difference {
                    *difference = redactor.redact(difference);
                }
            }
            Self::Reset
            | Self::User { .. }
            | Self::Started { .. }
            | Self::Active { .. }
            | Self::Decided { .. }
            | Self::Usage { .. }
            | Self::Done { .. } => {}
        }
        self
    }
}

/// A skill that is active in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ActiveSkill {
    /// Its name.
    pub(crate) name: String,
    /// What it consists of.
    pub(crate) digest: String,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallEnd {
    /// As wished.
    Ok,
    /// It was not allowed.
    Denied,
    /// It was tried and did not work.
    Failed,
}

impl From<CallOutcome> for CallEnd {
    fn from(outcome: CallOutcome) -> Self {
        match outcome {
            CallOutcome::Ok => Self::Ok,
            CallOutcome::Denied => Self::Denied,
            CallOutcome::Failed => Self::Failed,
        }
    }
}

/// Something that only a person can allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Question)]
pub(crate) struct ApprovalQuestion {
    /// Its id, unlike that of any other in the session.
    pub(crate) id: String,
    /// The call that waits for it.
    pub(crate) call: String,
    /// `script`, `command`, `change`, or `tool` for one of an MCP server.
    pub(crate) kind: String,
    /// What is to be run or changed, exactly: what cannot be seen or deceives is `\u{…}`.
    pub(crate) command: String,
    /// What a script reads, as exactly, if anything is given to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<String>,
    /// What will be other in a file, as lines that are gone (`-`) and new (`+`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<String>,
    /// The skill whose script it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skill: Option<String>,
    /// What that skill consists of; consent to `digest` holds for exactly this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    /// Why consent to `digest` counts for the session alone, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unshown: Option<String>,
    /// Why it is asked.
    pub(crate) reason: String,
}

impl ApprovalQuestion {
    /// What the agent asks, under an id of ours.
    pub(super) fn of(id: String, request: &ApprovalRequest) -> Self {
        let (kind, command, skill, digest) = match &request.action {
            Action::Script {
                skill,
                digest,
                script,
                arguments,
                ..
            } => {
                let line = command_line(script, arguments);
                let (skill, digest) = (Some(skill.clone()), Some(digest.clone()));
                ("script", line, skill, digest)
            }
            Action::Command { command } => (
                "command",
                escape_invisible(command).into_owned(),
                None,
                None,
            ),
            Action::Change { tool, path, .. } => (
                "change",
                format!("{tool} {}", escape_invisible(path)),
                None,
                None,
            ),
            Action::Lent { tool, arguments } => (
                "tool",
                format!("{tool} {}", escape_invisible(arguments)),
                None,
                None,
            ),
        };
        let difference = match &request.action {
            Action::Change { difference, .. } => {
                let difference = difference.as_ref();
                difference.map(|difference| difference.folded(MAX_TOLD).to_string())
            }
            _ => None,
        };
        let difference = difference.map(|text| escape_control(&text).into_owned());
        let (input, unshown) = match &request.action {
            Action::Script { stdin, unshown, .. } => (stdin.as_deref(), unshown.as_deref()),
            _ => (None, None),
        };
        Self {
            id,
            call: request.call.clone(),
            kind: kind.to_owned(),
            command,
            input: input.map(|text| escape_invisible(text).into_owned()),
            difference,
            skill,
            digest,
            unshown: unshown.map(|why| escape_control(why).into_owned()),
            reason: escape_control(&request.reason).into_owned(),
        }
    }
}

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Consent {
    /// Yes, this once.
    Once,
    /// Yes, until the session ends.
    Session,
    /// Yes, whenever the skill consists of exactly these bytes.
    Digest,
    /// No.
    No,
}

impl From<Consent> for ApprovalAnswer {
    fn from(consent: Consent) -> Self {
        match consent {
            Consent::Once => Self::Once,
            Consent::Session => Self::Session,
            Consent::Digest => Self::Digest,
            Consent::No => Self::No,
        }
    }
}

impl Consent {
    /// The answer, or as much of it as there can be.
    pub(super) fn within(self, action: &Action) -> Self {
        match self {
            Self::Digest if !action.may_last() => Self::Session,
            consent => consent,
        }
    }
}

/// The id of an event: which telling of the session, and its position in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventId {
    /// The telling; a server that starts again tells anew.
    pub(crate) telling: String,
    /// The place, from 0.
    pub(crate) at: usize,
}

impl EventId {
    /// The place of an event of a telling.
    pub(super) fn new(telling: &str, at: usize) -> Self {
        let telling = telling.to_owned();
        Self { telling, at }
    }

    /// Reads what an event's id said.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (telling, at) = text.split_once('-')?;
        Some(Self {
            telling: telling.to_owned(),
            at: at.parse().ok()?,
        })
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}-{}", self.telling, self.at)
    }
}

/// Who wanted a skill, in a word.
pub(crate) fn trigger(trigger: Trigger) -> String {
    trigger.as_str().to_owned()
}

/// Why a turn ended, in a word.
pub(crate) fn reason(reason: EndReason) -> String {
    reason.as_str().to_owned()
}

/// As much of a text as is shown.
pub(crate) fn shown(text: &str) -> String {
    if text.len() <= MAX_SHOWN_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_SHOWN_BYTES);
    let more = counted(text.len() - end, "more byte");
    format!("{}\n[{more}]", &text[..end])
}

/// A call as it is told, whatever the model wrote.
pub(crate) fn called(id: &str, name: &str, arguments: &str) -> ChatEvent {
    let input = serde_json::from_str(arguments);
    ChatEvent::ToolCall {
        id: id.to_owned(),
        name: escape_control(name).into_owned(),
        input: harmless(input.unwrap_or_else(|_| Value::String(shown(arguments)))),
    }
}

/// A value in which no text deceives who reads it: a question stands below it.
fn harmless(value: Value) -> Value {
    let clear = |text: String| escape_control(&text).into_owned();
    match value {
        Value::String(text) => Value::String(clear(text)),
        Value::Array(values) => values.into_iter().map(harmless).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (clear(key), harmless(value)))
            .collect(),
        other => other,
    }
}
