//! `skillyard agent`: one file a verb.

mod given;
mod import;
mod said;
mod show;
mod skill;

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::{Value, json};
use similar::TextDiff;
use skillyard_agent::agent::{AgentChange, Definition, StoredAgent};
use skillyard_agent::settings::{AgentLimits, Strategy, ToolMode};
use skillyard_agent::tool_spec::WorkspaceTools;
use skillyard_audit::{Event, EventKind};
use skillyard_format::text::one_line;

use crate::agent::settings::store;
use crate::commands::agent::said::AgentOptions;
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::question::must_agree;
use crate::text::counted;
use crate::text::sanitize::visible;

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
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    verb: AgentCommand,
}

#[derive(Debug, Subcommand)]
enum AgentCommand {
    Create(AgentCreateArgs),
    List(AgentListArgs),
    Show(show::AgentShowArgs),
    Edit(AgentEditArgs),
    #[command(visible_alias = "remove")]
    Delete(AgentDeleteArgs),
    Versions(AgentVersionsArgs),
    Diff(AgentDiffArgs),
    Rollback(AgentRollbackArgs),
    Export(AgentExportArgs),
    Import(import::AgentImportArgs),
    Skill(skill::AgentSkillArgs),
}

pub(crate) fn run(context: &Context, args: &AgentArgs) -> Outcome {
    match &args.verb {
        AgentCommand::List(_)
        | AgentCommand::Show(_)
        | AgentCommand::Versions(_)
        | AgentCommand::Diff(_)
        | AgentCommand::Export(_) => {}
        // No agent changes unrecorded.
        _ => drop(context.ready_to_record()?),
    }
    match &args.verb {
        AgentCommand::Create(args) => run_create(context, args),
        AgentCommand::List(args) => run_list(context, args),
        AgentCommand::Show(args) => show::run(context, args),
        AgentCommand::Edit(args) => run_edit(context, args),
        AgentCommand::Delete(args) => run_delete(context, args),
        AgentCommand::Versions(args) => run_versions(context, args),
        AgentCommand::Diff(args) => run_diff(context, args),
        AgentCommand::Rollback(args) => run_rollback(context, args),
        AgentCommand::Export(args) => run_export(context, args),
        AgentCommand::Import(args) => import::run(context, args),
        AgentCommand::Skill(args) => skill::run(context, args),
    }
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
    Ok(crate::error::ExitStatus::Success)
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

/// Let an older version hold again, as a new one
///
/// Examples:
///   skillyard agent rollback helper 1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentRollbackArgs {
    /// The agent
    name: String,
    /// The version
    version: u32,
}

fn run_rollback(context: &Context, args: &AgentRollbackArgs) -> Outcome {
    let change = store(context).rollback(&args.name, args.version)?;
    updated(context, &change)
}

/// Print an agent as JSON, for another machine or another program
///
/// Examples:
///   skillyard agent export helper > helper.json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentExportArgs {
    /// The agent
    name: String,
}

fn run_export(context: &Context, args: &AgentExportArgs) -> Outcome {
    let kept = store(context)
        .load(&args.name)
        .map_err(AgentFailure::from)?;
    context.printer.json(&as_json(&kept))?;
    Ok(ExitStatus::Success)
}

/// Change an agent: its next version says what the flags say
///
/// Examples:
///   skillyard agent edit helper --model anthropic/claude-sonnet-4-5
///   skillyard agent edit helper --strategy router --max-steps 10
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentEditArgs {
    /// The agent
    name: String,
    #[command(flatten)]
    said: AgentOptions,
}

fn run_edit(context: &Context, args: &AgentEditArgs) -> Outcome {
    let apply = |definition: &mut Definition| args.said.apply(context, definition);
    let change = store(context).change(&args.name, apply)?;
    given::tell_denied(context, &change.kept, |_| args.said.gives_skills());
    updated(context, &change)
}

/// List the versions of an agent
///
/// Examples:
///   skillyard agent versions helper
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentVersionsArgs {
    /// The agent
    name: String,
}

fn run_versions(context: &Context, args: &AgentVersionsArgs) -> Outcome {
    let kept = store(context)
        .load(&args.name)
        .map_err(AgentFailure::from)?;
    let current = kept.version;
    if context.printer.is_json() {
        let versions = kept.versions.iter();
        let versions: Vec<_> = versions
            .map(|(number, hash)| json!({ "version": number, "hash": hash, "current": *number == current }))
            .collect();
        context.printer.json(&json!({ "versions": versions }))?;
        return Ok(ExitStatus::Success);
    }
    let mut text = String::new();
    for (number, hash) in &kept.versions {
        let mark = if *number == current { '*' } else { ' ' };
        let _ = writeln!(text, "{mark} {number:<4} {hash}");
    }
    Ok(context.printer.data(&text).map(|()| ExitStatus::Success)?)
}

/// Delete an agent with all its versions; its sessions stay
///
/// Examples:
///   skillyard agent delete helper
///   skillyard agent delete helper --yes   without asking
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentDeleteArgs {
    /// The agent
    name: String,
    /// Delete without asking
    #[arg(long, short)]
    yes: bool,
}

fn run_delete(context: &Context, args: &AgentDeleteArgs) -> Outcome {
    let store = store(context);
    let names = store.names();
    // Who is not there is not asked about.
    if !args.yes && names.contains(&args.name) {
        let question = format!("Delete the agent `{}` with all its versions?", args.name);
        must_agree(context, &question)?;
    }
    store.delete(&args.name).map_err(AgentFailure::from)?;
    let event = Event::new(EventKind::AgentUpdated).detail("agent", &args.name);
    context.record(&event.detail("deleted", "yes"))?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "deleted": args.name }))?;
    } else {
        let line = format!(" - {}\n", args.name);
        context.printer.data(&visible(&line))?;
    }
    Ok(ExitStatus::Success)
}

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
struct AgentCreateArgs {
    /// Its name
    name: String,
    #[command(flatten)]
    said: AgentOptions,
}

fn run_create(context: &Context, args: &AgentCreateArgs) -> Outcome {
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

/// Compare two versions of an agent: exit code 1 when they differ
///
/// Examples:
///   skillyard agent diff helper 1 2
///   skillyard agent diff helper 1      with the version that holds
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentDiffArgs {
    /// The agent
    name: String,
    /// The older version
    from: u32,
    /// The newer version; the one that holds without it
    to: Option<u32>,
}

fn run_diff(context: &Context, args: &AgentDiffArgs) -> Outcome {
    let store = store(context);
    let kept = store.load(&args.name).map_err(AgentFailure::from)?;
    let to = args.to.unwrap_or(kept.version);
    let text = |version| -> Result<String, CommandError> {
        let definition = store.version(&args.name, version);
        let definition = definition.map_err(AgentFailure::from)?;
        Ok(serde_json::to_string_pretty(&definition).unwrap_or_default() + "\n")
    };
    let (old, new) = (text(args.from)?, text(to)?);
    let differ = old != new;
    let diff = TextDiff::from_lines(&old, &new);
    let shown = diff
        .unified_diff()
        .header(
            &format!("{}@{}", args.name, args.from),
            &format!("{}@{to}", args.name),
        )
        .to_string();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "differ": differ, "diff": shown }))?;
    } else {
        context.printer.data(&visible(&shown))?;
    }
    Ok(if differ {
        ExitStatus::Negative
    } else {
        ExitStatus::Success
    })
}

/// List the agents
///
/// Exit code 1 when one of them is damaged; the others are listed all the same.
///
/// Examples:
///   skillyard agent list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AgentListArgs {}

fn run_list(context: &Context, _args: &AgentListArgs) -> Outcome {
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
        ExitStatus::Success
    } else {
        ExitStatus::Negative
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
    if agents.is_empty() && status == ExitStatus::Success {
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
