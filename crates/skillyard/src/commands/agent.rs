//! `skillyard agent`: one file a verb.

mod create;
mod delete;
mod diff;
mod edit;
mod export;
mod given;
mod import;
mod list;
mod rollback;
mod said;
mod show;
mod skill;
mod versions;

use clap::Subcommand;
use serde_json::{Value, json};
use skillyard_agent::agent::{AgentChange, AgentStore, Drift, StoredAgent};
use skillyard_agent::session::AgentVersion;
use skillyard_agent::settings::{AgentSettings, Strategy, ToolMode};
use skillyard_agent::shelf::{Shelf, ShelfError};
use skillyard_audit::{Event, EventKind};
use skillyard_trust::verdict::OptIn;

use super::Outcome;
use crate::agent::{Files, Wanted, shelf};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::Choice;
use crate::mcp::Lenders;
use crate::sanitize::visible;
use crate::shell::shell_word;

/// Make agents: a model, instructions and skills under a name
///
/// Every change makes a new version, which never changes again and pins the skills' digests.
///
/// Examples:
///   skillyard agent create reviewer --model anthropic/claude-sonnet-4-5 --skills skill-review
///   skillyard agent skill add reviewer pdf-tools
///   skillyard agent show reviewer
///   skillyard chat reviewer
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Create(create::Args),
    List(list::Args),
    Show(show::Args),
    Edit(edit::Args),
    #[command(visible_alias = "remove")]
    Delete(delete::Args),
    Versions(versions::Args),
    Diff(diff::Args),
    Rollback(rollback::Args),
    Export(export::Args),
    Import(import::Args),
    Skill(skill::Args),
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    match &args.verb {
        Verb::List(_) | Verb::Show(_) | Verb::Versions(_) | Verb::Diff(_) | Verb::Export(_) => {}
        // No agent changes unrecorded.
        _ => drop(context.ready_to_record()?),
    }
    match &args.verb {
        Verb::Create(args) => create::run(context, args),
        Verb::List(args) => list::run(context, args),
        Verb::Show(args) => show::run(context, args),
        Verb::Edit(args) => edit::run(context, args),
        Verb::Delete(args) => delete::run(context, args),
        Verb::Versions(args) => versions::run(context, args),
        Verb::Diff(args) => diff::run(context, args),
        Verb::Rollback(args) => rollback::run(context, args),
        Verb::Export(args) => export::run(context, args),
        Verb::Import(args) => import::run(context, args),
        Verb::Skill(args) => skill::run(context, args),
    }
}

/// The agents of this user.
fn store(context: &Context) -> AgentStore {
    AgentStore::new(&context.environment.agents_folder())
}

/// Every enabled skill.
fn all_skills(context: &Context) -> Result<Shelf, CommandError> {
    let wanted = Wanted {
        choice: Choice::default(),
        only: None,
        opt_in: OptIn::No,
        lenders: Lenders::default(),
        lent_before: None,
        files: Files::None,
    };
    shelf(context, &wanted)
}

/// Tells what a new version came to.
fn updated(context: &Context, change: &AgentChange) -> Outcome {
    let before = Some(change.before);
    changed(context, &change.kept, before, EventKind::AgentUpdated)
}

/// Tells what a change came to.
fn changed(context: &Context, kept: &StoredAgent, before: Option<u32>, kind: EventKind) -> Outcome {
    let is_new = before != Some(kept.version);
    if is_new {
        let event = Event::new(kind)
            .detail("agent", &kept.name)
            .detail("version", kept.version.to_string())
            .detail("hash", hash(kept));
        context.record(&event)?;
    }
    if context.printer.is_json() {
        context.printer.json(&as_json(kept))?;
    } else if is_new {
        let mark = if before.is_none() { '+' } else { '~' };
        let line = format!(" {mark} {}@{}\n", kept.name, kept.version);
        context.printer.data(&visible(&line))?;
    } else {
        context.printer.note("Nothing changed");
    }
    Ok(crate::error::Status::Yes)
}

fn hash(kept: &StoredAgent) -> String {
    kept.versions
        .get(&kept.version)
        .cloned()
        .unwrap_or_default()
}

fn as_json(kept: &StoredAgent) -> Value {
    json!({
        "name": kept.name,
        "version": kept.version,
        "hash": hash(kept),
        "definition": kept.definition,
    })
}

/// Why a skill of an agent cannot be used, and what can be done; it may be had by a reference.
fn missing(shelf: &Shelf, name: &str, reference: Option<&str>) -> String {
    match (shelf.named(name), reference) {
        (Err(ShelfError::Withheld { why, .. }), _) => {
            let remedy = why.remedy.map(|remedy| format!(" ({remedy})"));
            let remedy = remedy.unwrap_or_default();
            format!("cannot be used: {}{remedy}", why.reason)
        }
        (_, Some(reference)) => format!(
            "is not here or not enabled; install it with `skillyard install {} --scope user`",
            shell_word(reference)
        ),
        (_, None) => "is not here or not enabled".into(),
    }
}

/// The settings, the skills and the version of an agent, for a session.
pub(crate) fn resolved(
    context: &Context,
    name: &str,
) -> Result<(AgentSettings, Vec<String>, AgentVersion), CommandError> {
    let kept = store(context).load(name).map_err(AgentFailure::from)?;
    let shelf = all_skills(context)?;
    for (pin, drift) in kept.definition.drift(&shelf) {
        let text = match drift {
            Drift::Same => continue,
            Drift::Changed { .. } => "has changed since this version of the agent was made".into(),
            Drift::Missing => missing(&shelf, &pin.name, None),
        };
        let text = format!("warning: skill `{}` {text}", pin.name);
        context.printer.note(&visible(&text));
    }
    let names = kept.definition.reach(&shelf);
    let version = AgentVersion {
        name: kept.name,
        version: kept.version,
    };
    let mut settings = kept.definition.settings();
    if settings.router_model.is_none() {
        settings.router_model = context.config()?.text("agents.router_model");
    }
    Ok((settings, names, version))
}

/// A strategy by its name.
pub(crate) fn strategy(value: &str) -> Result<Strategy, CommandError> {
    match value {
        "tool" => Ok(Strategy::Tool),
        "router" => Ok(Strategy::Router),
        "hybrid" => Ok(Strategy::Hybrid),
        _ => Err(unknown(value, "strategy", "`tool`, `router` and `hybrid`")),
    }
}

/// A tool mode by its name.
pub(crate) fn tool_mode(value: &str) -> Result<ToolMode, CommandError> {
    match value {
        "auto" => Ok(ToolMode::Auto),
        "native" => Ok(ToolMode::Native),
        "json-schema" | "json_schema" => Ok(ToolMode::JsonSchema),
        "text" => Ok(ToolMode::Text),
        _ => Err(unknown(
            value,
            "tool mode",
            "`auto`, `native`, `json-schema` and `text`",
        )),
    }
}

fn unknown(value: &str, what: &'static str, known: &'static str) -> CommandError {
    AgentFailure::Word {
        value: value.to_owned(),
        what,
        known,
    }
    .into()
}
