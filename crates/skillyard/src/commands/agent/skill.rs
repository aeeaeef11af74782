//! `skillyard agent skill`.

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::json;
use skillyard_agent::agent::{Definition, Drift, Pin};

use super::{Outcome, given, updated};
use crate::agent::settings::{all_skills, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, ExitStatus};
use crate::text::sanitize::visible;

/// Change the skills of an agent
///
/// Examples:
///   skillyard agent skill add helper pdf-tools
///   skillyard agent skill list helper
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AgentSkillArgs {
    #[command(subcommand)]
    verb: AgentSkillCommand,
}

#[derive(Debug, Subcommand)]
enum AgentSkillCommand {
    /// Add skills, or take those that are there as they are now
    ///
    /// A skill that is named by where it comes from is installed first. A pattern means whatever
    /// skills are here when a session begins.
    ///
    /// Examples:
    ///   skillyard agent skill add helper pdf-tools
    ///   skillyard agent skill add helper acme/skills/pdf-tools@^1.2
    #[command(verbatim_doc_comment)]
    Add(Added),
    /// Remove skills, by their names or by where they came from
    ///
    /// Examples:
    ///   skillyard agent skill remove helper pdf-tools
    #[command(verbatim_doc_comment)]
    Remove(SkillNamesArgs),
    /// List the skills, and whether they are still what they were
    ///
    /// Examples:
    ///   skillyard agent skill list helper
    #[command(verbatim_doc_comment)]
    List {
        /// The agent
        agent: String,
    },
}

#[derive(Debug, clap::Args)]
struct SkillNamesArgs {
    /// The agent
    agent: String,
    /// The skills
    #[arg(required = true)]
    skills: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct Added {
    #[command(flatten)]
    names: SkillNamesArgs,
    /// Install without asking what a reference names
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(context: &Context, args: &AgentSkillArgs) -> Outcome {
    match &args.verb {
        AgentSkillCommand::Add(added) => add(context, added),
        AgentSkillCommand::Remove(names) => remove(context, names),
        AgentSkillCommand::List { agent } => list(context, agent),
    }
}

fn add(context: &Context, added: &Added) -> Outcome {
    let SkillNamesArgs { agent, skills } = &added.names;
    let mut named = Vec::new();
    let give = |definition: &mut Definition| {
        named = given::give(context, definition, skills, added.yes)?;
        Ok::<(), CommandError>(())
    };
    let change = store(context).change(agent, give)?;
    given::tell_denied(context, &change.kept, |pin| named.contains(&pin.name));
    updated(context, &change)
}

fn remove(context: &Context, names: &SkillNamesArgs) -> Outcome {
    let change = store(context).change(&names.agent, |definition| take(definition, names))?;
    updated(context, &change)
}

/// Takes skills from an agent; it must have them.
fn take(definition: &mut Definition, names: &SkillNamesArgs) -> Result<(), CommandError> {
    for name in &names.skills {
        let count = |definition: &Definition| definition.skills.len() + definition.patterns.len();
        let had = count(definition);
        definition.skills.retain(|pin| !is_meant(pin, name));
        definition.patterns.retain(|pattern| pattern != name);
        if count(definition) == had {
            let known = definition.skills.iter().map(|pin| pin.name.as_str());
            return Err(AgentFailure::NotItsSkill {
                agent: names.agent.clone(),
                nearest: skillyard_format::text::nearest(name, known).map(str::to_owned),
                skill: name.clone(),
            }
            .into());
        }
    }
    Ok(())
}

/// Whether a skill is called so, or came from there.
fn is_meant(pin: &Pin, word: &str) -> bool {
    let reference = pin.reference.as_deref().unwrap_or_default();
    let behind = reference.strip_prefix(word);
    pin.name == word || behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('@'))
}

fn list(context: &Context, agent: &str) -> Outcome {
    let kept = store(context).load(agent).map_err(AgentFailure::from)?;
    let skills = kept.definition.drift(&all_skills(context)?);
    if context.printer.is_json() {
        let skills: Vec<_> = skills
            .iter()
            .map(|(pin, drift)| json!({ "name": pin.name, "digest": pin.digest, "drift": drift, "reference": pin.reference }))
            .collect();
        let patterns = &kept.definition.patterns;
        context
            .printer
            .json(&json!({ "skills": skills, "patterns": patterns }))?;
        return Ok(ExitStatus::Success);
    }
    let names = skills.iter().map(|(pin, _)| pin.name.chars().count());
    let widest = names.max().unwrap_or_default();
    let mut text = String::new();
    for (pin, drift) in &skills {
        let state = match drift {
            Drift::Same => "same",
            Drift::Changed { .. } => "changed",
            Drift::Missing => "missing",
        };
        let _ = writeln!(text, "{:<widest$}  {state:<8} {}", pin.name, pin.digest);
    }
    for pattern in &kept.definition.patterns {
        let _ = writeln!(text, "{pattern:<widest$}  pattern");
    }
    context.printer.data(&visible(&text))?;
    if text.is_empty() {
        let name = visible(&kept.name);
        context.printer.note(&format!(
            "It has no skills; add one with `skillyard agent skill add {name} SKILL`"
        ));
    }
    Ok(ExitStatus::Success)
}
