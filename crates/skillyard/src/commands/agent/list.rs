//! `skillyard agent list`.

use std::fmt::Write as _;

use serde_json::json;

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
    let mut text = String::new();
    for agent in &agents {
        let skills = agent.definition.skills.len();
        let name = format!("{}@{}", agent.name, agent.version);
        let _ = writeln!(
            text,
            "{name:<24} {:<32} {skills} skills  {}",
            agent.definition.model, agent.definition.description
        );
    }
    context.printer.data(&visible(&text))?;
    if agents.is_empty() {
        context
            .printer
            .note("There are no agents yet; make one with `skillyard agent create NAME`");
    }
    Ok(Status::Yes)
}
