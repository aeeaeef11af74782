//! A session: what was said, which skills are in it, and what was allowed.

mod compaction;
mod database;
mod error;
mod lease;
mod save;
mod shorten;
mod state;
mod store;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillyard_format::Digest;
use skillyard_format::tokens::estimate;

use crate::front_end::is_notice;
use crate::message::{AssistantPart, CallOutcome, Message, ToolResult};
use crate::mode;
use crate::prompt::Prompt;
use crate::settings::{AgentSettings, CONTEXT, ToolMode};

pub use compaction::{CompactionPlan, plan};
pub use error::SessionError;
pub use state::{Activated, Ancestor, Grant, Granted, SessionState, Spent};
pub use store::{
    ImportedSessions, InvalidCursor, Owner, SessionCursor, SessionStore, SessionSummary,
};

/// What a call is told whose result was lost.
pub(crate) const INTERRUPTED: &str = "The session was interrupted before the result of this call was kept. \
It may have run or not, and it was not run again. Check before you repeat it.";

/// The part of the context, as a divisor, that an answer may take.
const ANSWER_SHARE: usize = 4;
/// The part of the rest, in percent, that messages may take, because tokens are estimated.
const MESSAGES_SHARE: usize = 80;

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: String,
    /// The agent it belongs to.
    pub agent: Option<AgentVersion>,
    /// The folder that tools work in.
    pub workspace: String,
    /// When it began.
    pub created: Timestamp,
    /// What every request begins with.
    pub prompt: Prompt,
    /// What was said.
    pub messages: Vec<Message>,
    /// What changes with it.
    pub state: SessionState,
    /// How many messages are in the store.
    pub(crate) kept: usize,
    /// Whether another model goes on, and the store does not know of it.
    pub(crate) handed_over: bool,
    /// Whether the store has had it; what it no longer has then was deleted.
    pub(crate) stored: bool,
}

/// A version of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentVersion {
    /// The agent.
    pub name: String,
    /// The version.
    pub version: u32,
}

impl Session {
    /// A new session.
    pub fn new(
        agent: Option<AgentVersion>,
        workspace: String,
        prompt: Prompt,
        created: Timestamp,
    ) -> Result<Self, SessionError> {
        Ok(Self {
            id: new_id()?,
            agent,
            workspace,
            created,
            prompt,
            messages: Vec::new(),
            state: SessionState::default(),
            kept: 0,
            handed_over: false,
            stored: false,
        })
    }

    /// The same talk in a new session; what was allowed in the old one stays there.
    pub fn fork(&self, created: Timestamp) -> Result<Self, SessionError> {
        let mut fork = self.clone();
        fork.id = new_id()?;
        fork.created = created;
        fork.kept = 0;
        fork.handed_over = false;
        fork.stored = false;
        fork.state.grants.clear();
        // A copy of what was never kept has no log to refer to.
        if self.kept > 0 {
            fork.state.lineage.push(Ancestor {
                session: self.id.clone(),
                messages: self.messages.len(),
            });
        }
        Ok(fork)
    }

    /// Adds a result to each call that has none, which says so. Nothing is run again.
    pub(crate) fn fill_missing_results(&mut self) {
        let Some(last) = self.messages.last() else {
            return;
        };
        let results: Vec<ToolResult> = last
            .calls()
            .into_iter()
            .map(|call| ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                content: INTERRUPTED.into(),
                outcome: CallOutcome::Failed,
            })
            .collect();
        if !results.is_empty() {
            self.messages.push(Message::Tool { results });
        }
    }

    /// Takes a skill in that the next message will hold.
    pub(crate) fn activate(&mut self, name: &str, digest: &Digest, rendered: &Digest) {
        let told = self.prompt.installed.get(name);
        if told.is_some_and(|told| told.digest != *digest) {
            let editions = self.state.editions.entry(name.to_owned()).or_default();
            if !editions.contains(digest) {
                editions.push(*digest);
            }
        }
        self.state.activated.retain(|each| each.name != name);
        self.state.activated.push(Activated {
            name: name.to_owned(),
            digest: digest.to_string(),
            rendered: rendered.to_string(),
            message: self.messages.len(),
            dropped: false,
        });
    }

    /// What the model is given now; whatever does not fit counts as not loaded from here on.
    pub(crate) fn fitted(&mut self) -> CompactionPlan {
        let fitted = plan(self, self.message_budget());
        for skill in &mut self.state.activated {
            skill.dropped = fitted.dropped.contains(&skill.name);
        }
        fitted
    }

    /// Lets a skill go: its tools list counts no more, and a compaction may drop it.
    pub fn release(&mut self, name: &str) -> bool {
        let before = self.state.activated.len();
        self.state.activated.retain(|each| each.name != name);
        self.state.activated.len() < before
    }

    /// A short name for lists: how it began.
    pub fn title(&self) -> String {
        let first = self.messages.iter().find_map(|message| match message {
            Message::User { .. } => Some(message.words()),
            _ => None,
        });
        let line = first.unwrap_or_default();
        let line = line.lines().next().unwrap_or_default();
        line.chars().take(60).collect()
    }

    /// The words of the answer to what was said last, as people read them.
    pub fn answer(&self) -> String {
        let since = self.messages.iter().rev();
        let mut since = since.take_while(|message| !matches!(message, Message::User { .. }));
        let last = since.find_map(|message| match message {
            // Who only calls something may have said before what it is for; who does not even
            // that has nothing to say.
            Message::Assistant { parts } if parts.iter().any(is_text) => Some(message.words()),
            Message::Assistant { .. } if message.calls().is_empty() => Some(String::new()),
            _ => None,
        });
        last.unwrap_or_default()
    }

    /// The same for programs: nothing where it only says why there is no answer.
    pub fn given_answer(&self) -> String {
        let answer = self.answer();
        if is_notice(&answer) {
            return String::new();
        }
        answer
    }

    /// The model that gave the message at a place.
    pub fn model_at(&self, place: usize) -> &str {
        let mut earlier = self.state.earlier.iter();
        let then = earlier.find(|each| place < each.messages);
        then.map_or(&self.prompt.settings.model, |each| &each.model)
    }
}

fn is_text(part: &AssistantPart) -> bool {
    matches!(part, AssistantPart::Text { .. })
}

fn new_id() -> Result<String, SessionError> {
    Ok(format!("s-{}", random()?))
}

/// A name that nothing else has.
fn random() -> Result<String, SessionError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|_| SessionError::NoRandomness)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        use std::fmt::Write as _;
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

impl Session {
    /// The assumed context of the model, in tokens.
    pub fn context(&self) -> usize {
        let said = || self.prompt.settings.limits.context();
        self.state.context.unwrap_or_else(said)
    }

    /// Sets the context that the user declares: it replaces what was found out, or a larger one.
    pub fn set_context(&mut self, tokens: usize) {
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

    /// The tokens that messages may take in one request.
    pub(crate) fn message_budget(&self) -> usize {
        let taken = self.answer_tokens() as usize + self.prompt_tokens();
        self.context().saturating_sub(taken) * MESSAGES_SHARE / 100
    }

    /// Halves the assumed context; returns whether that makes the request shorter.
    pub(crate) fn tighten(&mut self) -> bool {
        let before = self.request_tokens();
        self.state.context = Some(before / 2);
        self.request_tokens() * 10 <= before * 9
    }

    fn request_tokens(&self) -> usize {
        let messages = plan(self, self.message_budget()).messages;
        let messages: usize = messages.iter().map(Message::tokens).sum();
        self.prompt_tokens() + messages + self.answer_tokens() as usize
    }

    fn prompt_tokens(&self) -> usize {
        let tools = serde_json::to_string(&self.prompt.tools).unwrap_or_default();
        estimate(&self.prompt.system) + estimate(&tools)
    }
}

/// A model that a session had before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousModel {
    /// The model, as `provider/name`.
    pub model: String,
    /// How it called tools.
    pub tool_mode: ToolMode,
    /// The number of messages when it was replaced.
    pub messages: usize,
}

impl Session {
    /// Changes the model; `context` is its size if known. The change is stored with the next message.
    pub fn change_model(&mut self, model: &str, tool_mode: ToolMode, context: Option<usize>) {
        let settings = &self.prompt.settings;
        if settings.model == model && settings.tool_mode == tool_mode {
            return;
        }
        self.state.earlier.push(PreviousModel {
            model: settings.model.clone(),
            tool_mode: settings.tool_mode,
            messages: self.messages.len(),
        });
        self.prompt = self.prompt.for_model(model, tool_mode);
        // The settings describe the first model, the state the last one.
        let unknown = (self.prompt.settings.limits.context_tokens > 0).then_some(CONTEXT);
        self.state.context = context.or(unknown);
        self.state.answer = None;
        // A session that was never stored begins with the new model.
        self.handed_over = self.kept > 0;
    }
}

impl Prompt {
    /// This prompt for another model.
    pub(crate) fn for_model(&self, model: &str, tool_mode: ToolMode) -> Self {
        let mut prompt = self.clone();
        let text = |mode| mode::instructions(mode, &self.tools);
        let mut sections = vec![self.system.as_str()];
        let before = text(self.settings.tool_mode);
        if let Some(rest) = before.and_then(|before| self.system.strip_suffix(before.as_str())) {
            sections = vec![rest.trim_end_matches('\n')];
        }
        let after = text(tool_mode);
        sections.extend(after.as_deref());
        sections.retain(|section| !section.is_empty());
        prompt.system = sections.join("\n\n");
        prompt.settings = AgentSettings {
            model: model.to_owned(),
            tool_mode,
            ..self.settings.clone()
        };
        prompt
    }
}
