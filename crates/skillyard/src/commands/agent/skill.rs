//! `skillyard agent skill`.

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::agent::{Drift, pins};
use skillyard_audit::EventKind;

use super::{Outcome, all_skills, changed, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;

/// Change the skills of an agent
///
/// Examples:
///   skillyard agent skill add helper pdf-tools
///   skillyard agent skill list helper
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Add skills, or take those that are there as they are now
    Add(Names),
    /// Remove skills
    Remove(Names),
    /// List the skills, and whether they are still what they were
    List {
        /// The agent
        agent: String,
    },
}

#[derive(Debug, clap::Args)]
struct Names {
    /// The agent
    agent: String,
    /// The skills
    #[arg(required = true)]
    skills: Vec<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    match &args.verb {
        Verb::Add(names) => add(context, names),
        Verb::Remove(names) => remove(context, names),
        Verb::List { agent } => list(context, agent),
    }
}

fn add(context: &Context, names: &Names) -> Outcome {
    let store = store(context);
    let before = store.load(&names.agent).map_err(AgentFailure::from)?;
    let mut definition = before.definition;
    let new = pins(&all_skills(context)?, &names.skills).map_err(TurnError::from)?;
    definition
        .skills
        .retain(|pin| new.iter().all(|each| each.name != pin.name));
    definition.skills.extend(new);
    definition.skills.sort_by(|a, b| a.name.cmp(&b.name));
    let kept = store.update(&names.agent, &definition);
    let kept = kept.map_err(AgentFailure::from)?;
    changed(
        context,
        &kept,
        Some(before.version),
        EventKind::AgentUpdated,
    )
}

fn remove(context: &Context, names: &Names) -> Outcome {
    let store = store(context);
    let before = store.load(&names.agent).map_err(AgentFailure::from)?;
    let mut definition = before.definition;
    for name in &names.skills {
        let count = definition.skills.len();
        definition.skills.retain(|pin| pin.name != *name);
        if definition.skills.len() == count {
            let known = definition.skills.iter().map(|pin| pin.name.as_str());
            return Err(CommandError::NoSuchSkill {
                name: name.clone(),
                nearest: skillyard_format::nearest::nearest(name, known).map(str::to_owned),
            });
        }
    }
    let kept = store.update(&names.agent, &definition);
    let kept = kept.map_err(AgentFailure::from)?;
    changed(
        context,
        &kept,
        Some(before.version),
        EventKind::AgentUpdated,
    )
}

fn list(context: &Context, agent: &str) -> Outcome {
    let kept = store(context).load(agent).map_err(AgentFailure::from)?;
    let skills = kept.definition.drift(&all_skills(context)?);
    if context.printer.is_json() {
        let skills: Vec<_> = skills
            .iter()
            .map(|(pin, drift)| json!({ "name": pin.name, "digest": pin.digest, "drift": drift }))
            .collect();
        context.printer.json(&json!({ "skills": skills }))?;
        return Ok(Status::Yes);
    }
    let mut text = String::new();
    for (pin, drift) in &skills {
        let state = match drift {
            Drift::Same => "same",
            Drift::Changed { .. } => "changed",
            Drift::Missing => "missing",
        };
        let _ = writeln!(text, "{:<24} {state:<8} {}", pin.name, pin.digest);
    }
    Ok(context
        .printer
        .data(&visible(&text))
        .map(|()| Status::Yes)?)
}
