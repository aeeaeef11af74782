//! How an agent works: fixed when a session starts, so that every request of it begins with the
//! same bytes.

use serde::{Deserialize, Serialize};

use crate::tool::WorkspaceTools;

/// How an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The model, as `provider/name`.
    pub model: String,
    /// What the agent is for, in its author's words.
    pub instructions: String,
    /// Who picks skills.
    pub strategy: Strategy,
    /// How the model calls tools.
    pub tool_mode: ToolMode,
    /// Whether it works on files.
    pub workspace: WorkspaceTools,
    /// The MCP servers whose tools and skills it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
    /// How much it may use.
    pub limits: Limits,
}

impl Settings {
    /// The model's own name, without its provider.
    pub fn model_name(&self) -> &str {
        self.model
            .split_once('/')
            .map_or(self.model.as_str(), |(_, name)| name)
    }
}

/// Who picks a skill for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The model, from the catalog, with a tool.
    #[default]
    Tool,
    /// A router, before the model is asked.
    Router,
    /// A search makes a shortlist, and the model decides.
    Hybrid,
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolMode {
    /// As a probe finds, before a session starts; as its provider means it where nobody probes.
    #[default]
    Auto,
    /// As its provider means it.
    Native,
    /// With answers that a schema forces into shape.
    JsonSchema,
    /// With blocks in its text.
    Text,
}

impl ToolMode {
    /// Whether calls are left to the provider.
    pub fn is_native(self) -> bool {
        matches!(self, Self::Auto | Self::Native)
    }
}

/// How much an agent may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// How often the model is asked in one turn.
    pub steps: usize,
    /// All tokens of a session; zero for as many as it takes.
    pub session_tokens: u64,
    /// Scripts and commands of a session.
    pub runs: usize,
    /// Tokens of the catalog.
    pub catalog_tokens: usize,
    /// Skills of the catalog.
    pub catalog_skills: usize,
    /// Tokens of messages that are sent at once; more are compacted.
    pub context_tokens: usize,
    /// Tokens of one answer.
    pub answer_tokens: u32,
    /// Skills that a router may pick.
    pub routed_skills: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 32,
            session_tokens: 0,
            runs: 200,
            catalog_tokens: 4_000,
            catalog_skills: 200,
            context_tokens: 150_000,
            answer_tokens: 8_192,
            routed_skills: 1,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: "offline".into(),
            instructions: String::new(),
            strategy: Strategy::default(),
            tool_mode: ToolMode::default(),
            workspace: WorkspaceTools::default(),
            mcp: Vec::new(),
            limits: Limits::default(),
        }
    }
}
