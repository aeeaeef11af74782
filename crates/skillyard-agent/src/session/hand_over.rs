//! Another model goes on with a session.
//!
//! What every request begins with stays as it is, but for how tools are called: models differ in
//! that. What held before is kept, so that a replay knows which model was given what.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::mode;
use crate::prompt::Prompt;
use crate::settings::{CONTEXT, Settings, ToolMode};

/// The model that a session had before another went on with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The model, as `provider/name`.
    pub model: String,
    /// How it called tools.
    pub tool_mode: ToolMode,
    /// How many messages there were when it was over.
    pub messages: usize,
}

impl Session {
    /// Lets another model go on, which takes so many tokens if that is known; it is written down
    /// with what is said next.
    pub fn hand_over(&mut self, model: &str, tool_mode: ToolMode, context: Option<usize>) {
        let settings = &self.prompt.settings;
        if settings.model == model && settings.tool_mode == tool_mode {
            return;
        }
        self.state.earlier.push(Earlier {
            model: settings.model.clone(),
            tool_mode: settings.tool_mode,
            messages: self.messages.len(),
        });
        self.prompt = self.prompt.for_model(model, tool_mode);
        // What the settings say is about the first model, what was found out about the last.
        let unknown = (self.prompt.settings.limits.context_tokens > 0).then_some(CONTEXT);
        self.state.context = context.or(unknown);
        self.state.answer = None;
        // What was never kept begins with the other model.
        self.handed_over = self.kept > 0;
    }
}

impl Prompt {
    /// The same for another model.
    pub(crate) fn for_model(&self, model: &str, tool_mode: ToolMode) -> Self {
        let mut prompt = self.clone();
        let told = |mode| mode::instructions(mode, &self.tools);
        let mut sections = vec![self.system.as_str()];
        let before = told(self.settings.tool_mode);
        if let Some(rest) = before.and_then(|before| self.system.strip_suffix(before.as_str())) {
            sections = vec![rest.trim_end_matches('\n')];
        }
        let after = told(tool_mode);
        sections.extend(after.as_deref());
        sections.retain(|section| !section.is_empty());
        prompt.system = sections.join("\n\n");
        prompt.settings = Settings {
            model: model.to_owned(),
            tool_mode,
            ..self.settings.clone()
        };
        prompt
    }
}
