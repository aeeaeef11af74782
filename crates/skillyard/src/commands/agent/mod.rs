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
mod show;
mod skill;
mod versions;

use std::num::{NonZeroU32, NonZeroUsize};

use clap::Subcommand;
use serde_json::{Value, json};
use skillyard_agent::agent::{AgentStore, Change, Definition, Drift, Kept};
use skillyard_agent::session::AgentVersion;
use skillyard_agent::settings::{LimitChanges, Settings, Strategy, ToolMode};
use skillyard_agent::shelf::Shelf;
use skillyard_agent::tool::WorkspaceTools;
use skillyard_audit::{Event, EventKind};
use skillyard_trust::verdict::OptIn;

use super::Outcome;
use crate::agent::{Files, Wanted, known_model, shelf};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::Choice;
use crate::mcp::Lenders;
use crate::sanitize::visible;

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

/// What `create` and `edit` can say about an agent.
#[derive(Debug, clap::Args)]
struct Said {
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

impl Said {
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

    fn apply(&self, context: &Context, definition: &mut Definition) -> Result<(), CommandError> {
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
        let hint = error.hint().map(|hint| format!("; {hint}"));
        let text = format!("warning: {error}{}", hint.unwrap_or_default());
        context.printer.note(&visible(&text));
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
fn updated(context: &Context, change: &Change) -> Outcome {
    let before = Some(change.before);
    changed(context, &change.kept, before, EventKind::AgentUpdated)
}

/// Tells what a change came to.
fn changed(context: &Context, kept: &Kept, before: Option<u32>, kind: EventKind) -> Outcome {
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

fn hash(kept: &Kept) -> String {
    kept.versions
        .get(&kept.version)
        .cloned()
        .unwrap_or_default()
}

fn as_json(kept: &Kept) -> Value {
    json!({
        "name": kept.name,
        "version": kept.version,
        "hash": hash(kept),
        "definition": kept.definition,
    })
}

/// The settings, the skills and the version of an agent, for a session.
pub(crate) fn resolved(
    context: &Context,
    name: &str,
) -> Result<(Settings, Vec<String>, AgentVersion), CommandError> {
    let kept = store(context).load(name).map_err(AgentFailure::from)?;
    let shelf = all_skills(context)?;
    for (pin, drift) in kept.definition.drift(&shelf) {
        let text = match drift {
            Drift::Same => continue,
            Drift::Changed { .. } => "has changed since this version of the agent was made",
            Drift::Missing => "is not here or not enabled",
        };
        context
            .printer
            .note(&format!("warning: skill `{}` {text}", visible(&pin.name)));
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
