//! How an agent works: fixed when a session starts, so that every request of it begins with the
//! same bytes.

use std::num::{NonZeroU32, NonZeroUsize};

use serde::{Deserialize, Serialize};

use crate::tool_spec::WorkspaceTools;

/// How an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// The model, as `provider/name`.
    pub model: String,
    /// What the agent is for, in its author's words.
    pub instructions: String,
    /// Who picks skills.
    pub strategy: Strategy,
    /// The model that a router asks, as `provider/name`; the agent's own without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router_model: Option<String>,
    /// How the model calls tools.
    pub tool_mode: ToolMode,
    /// How results of tools stand in requests.
    #[serde(default, skip_serializing_if = "Results::is_plain")]
    pub results: Results,
    /// Whether it works on files.
    pub workspace: WorkspaceTools,
    /// The MCP servers whose tools and skills it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
    /// How much it may use.
    pub limits: AgentLimits,
}

impl AgentSettings {
    /// The model's own name, without its provider.
    pub fn model_name(&self) -> &str {
        own_name(&self.model)
    }

    /// The own name of the model that a router asks.
    pub(crate) fn router_name(&self) -> &str {
        own_name(self.router_model.as_deref().unwrap_or(&self.model))
    }
}

fn own_name(model: &str) -> &str {
    model.split_once('/').map_or(model, |(_, name)| name)
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

impl Strategy {
    /// Its name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Router => "router",
            Self::Hybrid => "hybrid",
        }
    }
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

/// How results of tools stand in requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Results {
    /// As they are: so it was in sessions of older versions, which are made again with the same bytes.
    #[default]
    Plain,
    /// Between marks that nothing in them can end.
    Marked,
}

impl Results {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over references"
    )]
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// How much an agent may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentLimits {
    /// How often the model is asked in one turn.
    pub steps: usize,
    /// All tokens of a session; zero for as many as it takes.
    pub session_tokens: u64,
    /// Scripts and commands of a session.
    pub runs: usize,
    /// Tokens of what a model is given of one skill in a session, its instructions and its files;
    /// zero for as many as it takes.
    #[serde(skip_serializing_if = "is_zero")]
    pub skill_tokens: usize,
    /// Scripts of one skill in a session; zero for as many as the session may run.
    #[serde(skip_serializing_if = "is_zero")]
    pub skill_runs: usize,
    /// Tokens of the catalog; zero for 2% of the context.
    pub catalog_tokens: usize,
    /// Skills of the catalog.
    pub catalog_skills: usize,
    /// Tokens that the model takes at once, with its answer; zero where nobody said it. What does
    /// not fit is left out.
    pub context_tokens: usize,
    /// Tokens of one answer.
    pub answer_tokens: u32,
    /// Skills that a router may pick.
    pub routed_skills: usize,
}

/// What was not limited when there was no such limit is written as it was then.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_zero(limit: &usize) -> bool {
    *limit == 0
}

/// The context that a model is taken to have where nobody said it.
pub(crate) const CONTEXT: usize = 200_000;
/// Share of the context, in percent, that a catalog takes.
const CATALOG_SHARE: usize = 2;

impl AgentLimits {
    /// Tokens that the model takes at once.
    pub fn context(&self) -> usize {
        match self.context_tokens {
            0 => CONTEXT,
            said => said,
        }
    }

    /// Tokens of the catalog.
    pub fn catalog(&self) -> usize {
        match self.catalog_tokens {
            0 => self.context().saturating_mul(CATALOG_SHARE) / 100,
            said => said,
        }
    }
}

/// What is said about limits; where nothing is said, a limit stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LimitChanges {
    /// How often the model is asked in one turn.
    pub steps: Option<NonZeroUsize>,
    /// All tokens of a session.
    pub session_tokens: Option<u64>,
    /// Scripts and commands of a session.
    pub runs: Option<usize>,
    /// Tokens of what a model is given of one skill in a session.
    pub skill_tokens: Option<usize>,
    /// Scripts of one skill in a session.
    pub skill_runs: Option<usize>,
    /// Tokens of the catalog.
    pub catalog_tokens: Option<usize>,
    /// Tokens that the model takes at once.
    pub context_tokens: Option<usize>,
    /// Tokens of one answer.
    pub answer_tokens: Option<NonZeroU32>,
    /// Skills that a router may pick.
    pub routed_skills: Option<usize>,
}

impl LimitChanges {
    /// Makes the limits what was said.
    pub fn apply(self, limits: &mut AgentLimits) {
        let counts = [
            (self.steps.map(NonZeroUsize::get), &mut limits.steps),
            (self.runs, &mut limits.runs),
            (self.skill_tokens, &mut limits.skill_tokens),
            (self.skill_runs, &mut limits.skill_runs),
            (self.catalog_tokens, &mut limits.catalog_tokens),
            (self.context_tokens, &mut limits.context_tokens),
            (self.routed_skills, &mut limits.routed_skills),
        ];
        for (said, limit) in counts {
            *limit = said.unwrap_or(*limit);
        }
        limits.session_tokens = self.session_tokens.unwrap_or(limits.session_tokens);
        let answer = self.answer_tokens.map(NonZeroU32::get);
        limits.answer_tokens = answer.unwrap_or(limits.answer_tokens);
    }
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            steps: 32,
            session_tokens: 0,
            runs: 200,
            skill_tokens: 0,
            skill_runs: 0,
            catalog_tokens: 0,
            catalog_skills: 200,
            context_tokens: 0,
            answer_tokens: 8_192,
            routed_skills: 1,
        }
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            model: "offline".into(),
            instructions: String::new(),
            strategy: Strategy::default(),
            router_model: None,
            tool_mode: ToolMode::default(),
            results: Results::Marked,
            workspace: WorkspaceTools::default(),
            mcp: Vec::new(),
            limits: AgentLimits::default(),
        }
    }
}
