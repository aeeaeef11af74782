//! `skillyard agent list`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::agent::{Definition, StoredAgent};
use skillyard_format::text::one_line;

use super::{Outcome, as_json, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, Status};
use crate::report::counted;
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
    let name = |agent: &StoredAgent| format!("{}@{}", agent.name, agent.version);
    let widest = |text: &dyn Fn(&StoredAgent) -> String| {
        let lengths = agents.iter().map(|agent| text(agent).chars().count());
        lengths.max().unwrap_or_default()
    };
    let names = widest(&name);
    let models = widest(&|agent| agent.definition.model.clone());
    let skills = widest(&|agent| skills(&agent.definition));
    let mut text = String::new();
    for agent in &agents {
        let definition = &agent.definition;
        let line = format!(
            "{:<names$}  {:<models$}  {:<skills$}  {}",
            name(agent),
            definition.model,
            self::skills(definition),
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

/// Which skills an agent has: how many by name, and what its patterns mean.
fn skills(definition: &Definition) -> String {
    let patterns = &definition.patterns;
    let named = counted(definition.skills.len(), "skill");
    let is_all = patterns.iter().any(|pattern| pattern == "*");
    match (definition.skills.is_empty(), &patterns[..]) {
        (_, []) => named,
        (true, _) if is_all => "all skills".to_owned(),
        (false, _) if is_all => format!("{named} and all others"),
        (true, patterns) => format!("all {}", patterns.join(", ")),
        (false, patterns) => format!("{named} and all {}", patterns.join(", ")),
    }
}
