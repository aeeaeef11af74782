//! Which model a session had when.

use crate::prompt::Prompt;
use crate::session::Session;
use crate::settings::ToolMode;

/// The models of a session, and the one that is at work.
pub(super) struct Held {
    models: Vec<Model>,
    at: usize,
}

struct Model {
    name: String,
    tool_mode: ToolMode,
    /// How many messages there were when it was over; the last is not.
    until: Option<usize>,
}

impl Held {
    /// All of them; the first is at work.
    pub(super) fn of(session: &Session) -> Self {
        let earlier = session.state.earlier.iter().map(|each| Model {
            name: each.model.clone(),
            tool_mode: each.tool_mode,
            until: Some(each.messages),
        });
        let settings = &session.prompt.settings;
        let last = Model {
            name: settings.model.clone(),
            tool_mode: settings.tool_mode,
            until: None,
        };
        Self {
            models: earlier.chain([last]).collect(),
            at: 0,
        }
    }

    /// A session begins here, after so many messages, with this model.
    pub(super) fn begin(&mut self, messages: usize, model: Option<&String>) {
        let is_over = |each: &Model| Some(&each.name) != model && each.until == Some(messages);
        while self.models.get(self.at).is_some_and(is_over) {
            self.at += 1;
        }
    }

    /// What requests to the model at work begin with.
    pub(super) fn prompt(&self, session: &Session) -> Prompt {
        self.made(&session.prompt)
            .unwrap_or_else(|| session.prompt.clone())
    }

    /// The next model is at work.
    pub(super) fn next(&mut self, before: &Prompt) -> Option<Prompt> {
        self.at += 1;
        self.made(before)
    }

    fn made(&self, prompt: &Prompt) -> Option<Prompt> {
        let model = self.models.get(self.at)?;
        Some(prompt.for_model(&model.name, model.tool_mode))
    }
}
