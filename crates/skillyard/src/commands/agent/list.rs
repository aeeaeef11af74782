//! `skillyard agent list`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::agent::Kept;
use skillyard_format::render::one_line;

use super::{Outcome, as_json, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;

/// List the agents
///
/// Exit code 1 when one of them is damaged; the others are listed all the same.
///
/// Examples:
///   skillyard agent list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {}

pub(super) fn run(context: &Context, _args: &Args) -> Outcome {
    let store = store(context);
    let mut agents = Vec::new();
    let mut damaged = Vec::new();
    for name in store.names() {
        match store.load(&name) {
            Ok(agent) => agents.push(agent),
            Err(error) => {
                let problem = CommandError::from(AgentFailure::from(error)).with_causes();
                damaged.push(json!({ "name": name, "problem": problem }));
                // One of them does not hide the others.
                context
                    .printer
                    .note(&visible(&format!("warning: {problem}")));
            }
        }
    }
    let status = if damaged.is_empty() {
        Status::Yes
    } else {
        Status::No
    };
    if context.printer.is_json() {
        let agents: Vec<_> = agents.iter().map(as_json).collect();
        let list = json!({ "agents": agents, "damaged": damaged });
        context.printer.json(&list)?;
        return Ok(status);
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
    if agents.is_empty() && status == Status::Yes {
        context
            .printer
            .note("There are no agents yet; make one with `skillyard agent create NAME`");
    }
    Ok(status)
}
