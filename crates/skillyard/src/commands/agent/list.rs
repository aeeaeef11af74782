//! `skillyard agent list`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::agent::Kept;
use skillyard_format::render::one_line;

use super::{Outcome, as_json, store};
use crate::context::Context;
use crate::error::Status;
use crate::error::agent::AgentFailure;
use crate::sanitize::visible;

/// List the agents
///
/// Examples:
///   skillyard agent list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {}

pub(super) fn run(context: &Context, _args: &Args) -> Outcome {
    let store = store(context);
    let mut agents = Vec::new();
    for name in store.names() {
        agents.push(store.load(&name).map_err(AgentFailure::from)?);
    }
    if context.printer.is_json() {
        let agents: Vec<_> = agents.iter().map(as_json).collect();
        context.printer.json(&json!({ "agents": agents }))?;
        return Ok(Status::Yes);
    }
    let name = |agent: &Kept| format!("{}@{}", agent.name, agent.version);
    let widest = |text: &dyn Fn(&Kept) -> String| {
        let lengths = agents.iter().map(|agent| text(agent).chars().count());
        lengths.max().unwrap_or_default()
    };
    let names = widest(&name);
    let models = widest(&|agent| agent.definition.model.clone());
    let mut text = String::new();
    for agent in &agents {
        let definition = &agent.definition;
        let count = definition.skills.len();
        let word = if count == 1 { "skill " } else { "skills" };
        let patterns = match definition.patterns.as_slice() {
            [] => String::new(),
            patterns => format!(" and {}", patterns.join(", ")),
        };
        let line = format!(
            "{:<names$}  {:<models$}  {count:>2} {word}{patterns}  {}",
            name(agent),
            definition.model,
            one_line(&definition.description)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    context.printer.data(&visible(&text))?;
    if agents.is_empty() {
        context
            .printer
            .note("There are no agents yet; make one with `skillyard agent create NAME`");
    }
    Ok(Status::Yes)
}
