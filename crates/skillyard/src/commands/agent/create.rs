//! `skillyard agent create`.

use skillyard_agent::agent::Definition;
use skillyard_agent::settings::{AgentLimits, Strategy, ToolMode};
use skillyard_agent::tool_spec::WorkspaceTools;
use skillyard_audit::EventKind;

use super::said::Said;
use super::{Outcome, changed, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;

/// Make an agent
///
/// Examples:
///   skillyard agent create helper --skills skill-authoring,skill-review
///   skillyard agent create writer --model ollama/qwen2.5 --instructions "Write plainly."
///   skillyard agent create clerk --mcp files,tickets
///   skillyard agent create author --skills 'skill-*'        all that are called so; '*' for all
///   skillyard agent create filler --skills acme/skills/pdf-tools   installed first
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Its name
    name: String,
    #[command(flatten)]
    said: Said,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let model = context.config()?.text("agents.model");
    let mut definition = Definition {
        model: model.unwrap_or_else(|| "offline".into()),
        description: String::new(),
        instructions: String::new(),
        strategy: Strategy::default(),
        router_model: None,
        tool_mode: ToolMode::default(),
        workspace: WorkspaceTools::default(),
        mcp: Vec::new(),
        limits: AgentLimits::default(),
        patterns: Vec::new(),
        denied: Vec::new(),
        skills: Vec::new(),
    };
    args.said.apply(context, &mut definition)?;
    let kept = store(context).create(&args.name, &definition);
    let kept = kept.map_err(AgentFailure::from)?;
    changed(context, &kept, None, EventKind::AgentCreated)
}
