//! What `create` and `edit` can say about an agent.

use std::num::{NonZeroU32, NonZeroUsize};

use skillyard_agent::agent::Definition;
use skillyard_agent::settings::LimitChanges;
use skillyard_agent::tool_spec::WorkspaceTools;

use super::given;
use crate::agent::known_model;
use crate::agent::settings::{strategy, tool_mode, unknown};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::mcp::Lenders;
use crate::text::sanitize::visible;

/// What `create` and `edit` can say about an agent.
#[derive(Debug, clap::Args)]
pub(super) struct AgentOptions {
    /// The model, as `SERVER/NAME`
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// What it is for, in a line
    #[arg(long)]
    description: Option<String>,
    /// What it is told
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// Its skills, separated by commas: names, patterns, or references that are installed first
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    skills: Option<Vec<String>>,
    /// Skills that it never has, separated by commas: names or patterns
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    deny: Option<Vec<String>>,
    /// The MCP servers whose tools and skills it has, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    mcp: Option<Vec<String>>,
    /// Who picks skills: tool, router or hybrid
    #[arg(long)]
    strategy: Option<String>,
    /// The model that a router asks, as `SERVER/NAME`; empty for the agent's own
    #[arg(long, value_name = "MODEL", hide_short_help = true)]
    router_model: Option<String>,
    /// Skills that a router may pick for one message
    #[arg(long, value_name = "N", hide_short_help = true)]
    routed_skills: Option<usize>,
    /// How the model calls tools: auto, native, json-schema or text
    #[arg(long, value_name = "MODE")]
    tool_mode: Option<String>,
    /// Whether it works on files of the workspace: all or none
    #[arg(long, value_name = "TOOLS")]
    workspace_tools: Option<String>,
    /// How often the model is asked in one turn
    #[arg(long, value_name = "N")]
    max_steps: Option<NonZeroUsize>,
    /// All tokens of a session; 0 for as many as it takes
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Scripts, commands and changes of a session; 0 for none
    #[arg(long, value_name = "N")]
    max_runs: Option<usize>,
    /// Tokens that one skill may bring into a session; 0 for as many as it takes
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_skill_tokens: Option<usize>,
    /// Scripts of one skill in a session; 0 for as many as the session may run
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_skill_runs: Option<usize>,
    /// Tokens of one answer; at most a quarter of the context is left to it
    #[arg(long, value_name = "N", hide_short_help = true)]
    answer_tokens: Option<NonZeroU32>,
    /// Tokens that the model takes at once; 0 for `models.SERVER.context`
    #[arg(long, value_name = "N", hide_short_help = true)]
    context_tokens: Option<usize>,
    /// Tokens of the catalog in the prompt; 0 for 2% of the context
    #[arg(long, value_name = "N", hide_short_help = true)]
    catalog_tokens: Option<usize>,
    /// Install without asking what a reference names
    #[arg(long, short)]
    yes: bool,
}

impl AgentOptions {
    /// Whether it is said which skills the agent has.
    pub(super) fn gives_skills(&self) -> bool {
        self.skills.is_some()
    }

    /// Refuses flags that stand for keys which the organisation locked.
    fn keep_locked(&self, context: &Context) -> Result<(), CommandError> {
        let config = context.config()?;
        let routed = self.routed_skills.map(|count| count.to_string());
        for (key, flag, said) in [
            ("agents.model", "`--model`", &self.model),
            (
                "agents.router_model",
                "`--router-model`",
                &self.router_model,
            ),
            ("agents.activation", "`--strategy`", &self.strategy),
            ("agents.routed_skills", "`--routed-skills`", &routed),
        ] {
            if let Some(said) = said {
                config.keep_locked(key, flag, said)?;
            }
        }
        Ok(())
    }

    /// Makes what was said part of an agent.
    pub(super) fn apply(
        &self,
        context: &Context,
        definition: &mut Definition,
    ) -> Result<(), CommandError> {
        self.keep_locked(context)?;
        if let Some(model) = &self.model {
            definition.model.clone_from(model);
            warn_of_model(context, model);
        }
        if let Some(model) = &self.router_model {
            definition.router_model = (!model.is_empty()).then(|| model.clone());
            if !model.is_empty() {
                warn_of_model(context, model);
            }
        }
        if let Some(description) = &self.description {
            definition.description.clone_from(description);
        }
        if let Some(instructions) = &self.instructions {
            definition.instructions.clone_from(instructions);
        }
        if let Some(names) = &self.skills {
            definition.skills.clear();
            definition.patterns.clear();
            given::give(context, definition, names, self.yes)?;
        }
        if let Some(words) = &self.deny {
            definition.deny(words).map_err(AgentFailure::Given)?;
        }
        if let Some(names) = &self.mcp {
            let names = names.iter().map(|name| name.trim().to_owned());
            let mut names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
            names.sort_unstable();
            names.dedup();
            // A name that nothing stands behind is an error now, not in the first chat.
            Lenders::named(context, &names)?;
            definition.mcp = names;
        }
        if let Some(value) = &self.strategy {
            definition.strategy = strategy(value)?;
        }
        if let Some(value) = &self.tool_mode {
            definition.tool_mode = tool_mode(value)?;
        }
        if let Some(value) = &self.workspace_tools {
            definition.workspace = match value.as_str() {
                "all" => WorkspaceTools::All,
                "none" => WorkspaceTools::None,
                _ => return Err(unknown(value, "set of tools", "`all` and `none`")),
            };
        }
        let limits = LimitChanges {
            steps: self.max_steps,
            session_tokens: self.max_tokens,
            runs: self.max_runs,
            skill_tokens: self.max_skill_tokens,
            skill_runs: self.max_skill_runs,
            catalog_tokens: self.catalog_tokens,
            context_tokens: self.context_tokens,
            answer_tokens: self.answer_tokens,
            routed_skills: self.routed_skills,
        };
        limits.apply(&mut definition.limits);
        Ok(())
    }
}

/// Says that nothing is known of a model; it may be known later.
fn warn_of_model(context: &Context, model: &str) {
    if let Err(error) = known_model(context, model) {
        let hint = error.hint().map(|hint| format!("\nhint: {hint}"));
        let text = format!("warning: {error}{}", hint.unwrap_or_default());
        context.printer.note(&visible(&text));
    }
}
