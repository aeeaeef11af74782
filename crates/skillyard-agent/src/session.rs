//! A session: what was said, which skills are in it, and what was allowed.

mod compaction;
mod cut;
mod database;
mod error;
mod hand_over;
mod holder;
mod kept;
mod lease;
mod place;
mod room;
mod save;
mod shorten;
mod state;
mod store;
mod take_over;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::message::{AssistantPart, CallOutcome, Message, ToolResult};
use crate::prompt::Prompt;
use crate::turn::is_mark;

pub use compaction::{Plan, plan};
pub use error::SessionError;
pub use hand_over::Earlier;
pub use place::{NoPlace, Place};
pub use state::{Activated, Ancestor, Grant, Granted, Spent, State};
pub use store::{Owner, SessionStore, Summary};
pub use take_over::TakenOver;

/// What a call is told whose result was lost.
pub(crate) const INTERRUPTED: &str = "The session was interrupted before the result of this call was kept. \
It may have run or not, and it was not run again. Check before you repeat it.";

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
    pub state: State,
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
            state: State::default(),
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

    /// Gives every call without a result one that says so. Nothing is run again.
    pub(crate) fn mend(&mut self) {
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
    pub(crate) fn fitted(&mut self) -> Plan {
        let fitted = plan(self, self.room());
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
        if is_mark(&answer) {
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
