//! What a change of the installed skills came to, as people and programs are told.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_catalog::ProjectTrust;
use skillyard_catalog::agents::{self, AGENTS};
use skillyard_catalog::source::{SkillSource, SourceKind};
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::{Plan, SkillChange};
use skillyard_install::scope::ScopeKind;

use super::{agents_line, changes};
use crate::config::discovery::TrustProjects;
use crate::config::project;
use crate::context::Context;
use crate::error::install::Operation;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::scope::{self, ScopeContext, whole};
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;
use crate::text::{counted, elapsed, listed};

/// Skills that something was to be done with, and was not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Left {
    pub(crate) count: usize,
    pub(crate) deed: Operation,
}

/// Tells what was or would be done.
pub(crate) fn report(
    context: &Context,
    place: &ScopeContext,
    plan: &Plan,
    start: Option<Instant>,
    dry_run: bool,
) -> Outcome {
    report_with(
        context,
        place,
        plan,
        start,
        dry_run,
        Left::default(),
        |_| (),
    )
}

/// The same, with what people were told before it added to what programs are told, and
/// with how many skills are `left` as they were.
pub(crate) fn report_with(
    context: &Context,
    place: &ScopeContext,
    plan: &Plan,
    start: Option<Instant>,
    dry_run: bool,
    left: Left,
    add: impl FnOnce(&mut Value),
) -> Outcome {
    let printer = &context.printer;
    if printer.is_json() {
        let mut answer = changes::json(plan, &place.scope, dry_run);
        add(&mut answer);
        answer["warnings"] = json!(printer.warnings());
        printer.json(&answer)?;
        return Ok(ExitStatus::Success);
    }
    let lines = changes::lines(plan);
    if !lines.is_empty() {
        printer.note(lines.trim_end_matches('\n'));
    }
    let time = start.map(|start| start.elapsed()).unwrap_or_default();
    let already = plan.unchanged.len();
    let done = match plan.changes.len() {
        // Who reads the last line alone must not take all for done.
        0 if left.count > 0 => {
            let mut text = format!("Not {}: {}", left.deed, counted(left.count, "skill"));
            if already > 0 {
                let _ = write!(text, "; up to date: {already}");
            }
            text
        }
        0 if already > 0 => format!("Already up to date: {}", counted(already, "skill")),
        // What was left out was told.
        0 if !plan.skipped.is_empty() => return Ok(ExitStatus::Success),
        0 => {
            let place = place.scope.kind.as_str();
            printer.note(&format!("No skills are installed ({place} scope)"));
            return Ok(ExitStatus::Success);
        }
        count => {
            let mut text = if dry_run {
                format!("Would change {}", counted(count, "skill"))
            } else {
                changes::done(plan)
            };
            if left.count > 0 {
                let _ = write!(text, "; not {}: {}", left.deed, left.count);
            }
            text
        }
    };
    let scope = place.scope.kind.as_str();
    printer.note(&format!("{done} ({scope} scope) in {}", elapsed(time)));
    Ok(ExitStatus::Success)
}

/// Tells which skills nobody asks for any more, and others need.
pub(crate) fn tell_staying<'a>(context: &Context, names: impl Iterator<Item = &'a str>) {
    for name in names {
        let name = visible(name);
        let stays = format!("`{name}` stays, because others need it; nobody asks for it any more");
        context.printer.note(&stays);
    }
}

/// Reports which coding agents use the new skills from now on, and what Skillyard itself still needs.
pub(crate) fn report_activation(
    context: &Context,
    place: &ScopeContext,
    plan: &Plan,
) -> Result<(), CommandError> {
    let new = plan.changes.iter().filter_map(|change| match change {
        SkillChange::Added { to }
        | SkillChange::Changed { to, .. }
        | SkillChange::Restored { to } => Some(&**to),
        SkillChange::Repaired { .. } | SkillChange::Removed { .. } => None,
    });
    let targets: BTreeSet<&str> = new
        .flat_map(|entry| &entry.targets)
        .map(|target| &**target)
        .collect();
    if targets.is_empty() {
        return Ok(());
    }
    let agents = agents_that_read(context, place, &targets);
    if !agents.is_empty() {
        let note = format!(
            "Active now in {}: coding agents run scripts of skills with their own permissions, outside Skillyard's sandbox",
            agents.join(", ")
        );
        context.printer.note(&note);
    }
    if place.scope.kind == ScopeKind::Project
        && context.config()?.project_trust == ProjectTrust::Untrusted
    {
        let why = match context.config()?.trust_projects() {
            TrustProjects::Never => ", because `discovery.trust_projects` is `never`".to_owned(),
            // It could not be trusted.
            _ if project::root(&context.environment).to_str().is_none() => {
                format!(", because {}", project::TO_RENAME)
            }
            TrustProjects::Ask | TrustProjects::Always => {
                let root = project::typed_here(&context.environment);
                format!(" until you run `skillyard trust {}`", shell_word(&root))
            }
        };
        let note = format!(
            "Skillyard's own chat, MCP server and prompts leave out this project's skills{why}"
        );
        context.printer.note(&visible(&note));
    }
    Ok(())
}

/// The coding agents in use here that read one of these folders.
fn agents_that_read(
    context: &Context,
    place: &ScopeContext,
    targets: &BTreeSet<&str>,
) -> Vec<&'static str> {
    let environment = &context.environment;
    let home = environment.agents_home();
    let root = scope::project(context).unwrap_or_else(|| environment.current_dir.clone());
    let kind = match place.scope.kind {
        ScopeKind::Project => SourceKind::Project,
        ScopeKind::User => SourceKind::User,
    };
    let sources: Vec<SkillSource> = targets
        .iter()
        .map(|target| SkillSource {
            kind,
            root: place.scope.target(target),
            other: None,
        })
        .collect();
    AGENTS
        .iter()
        .filter(|agent| agent.is_present(home, &root))
        .filter(|agent| sources.iter().any(|source| agent.reads(source, home)))
        .map(|agent| agent.name.as_str())
        .collect()
}

/// Tells that Claude Code is in use here and does not see skills of a lock that was made elsewhere. It
/// reads no folder but its own.
pub(crate) fn tell_of_unread(context: &Context, place: &ScopeContext, present: &[Locked]) {
    let Some(agent) = agents::find("claude-code") else {
        return;
    };
    let folder = agent.project.as_str();
    let has_it = |entry: &&Locked| entry.targets.iter().any(|each| each == folder);
    if place.scope.kind != ScopeKind::Project || present.iter().all(|entry| has_it(&entry)) {
        return;
    }
    // Where it cannot be told who is meant, others say why.
    let config = context.config();
    let usual = config.and_then(|config| place.targets(&[], &config.install_agents()));
    if !usual.is_ok_and(|usual| usual.iter().any(|each| each == folder)) {
        return;
    }
    let unread: Vec<&Locked> = present.iter().filter(|entry| !has_it(entry)).collect();
    // They are in few folders, each of which is looked for once.
    let targets: BTreeSet<&str> = unread
        .iter()
        .flat_map(|entry| &entry.targets)
        .map(|each| &**each)
        .collect();
    let real = whole(&place.scope.target(folder));
    let leads_there = |target: &&str| whole(&place.scope.target(target)) == real;
    let there: BTreeSet<&str> = targets.into_iter().filter(leads_there).collect();
    let is_there = |entry: &&&Locked| entry.targets.iter().any(|each| there.contains(&**each));
    let unread: Vec<&Locked> = unread
        .iter()
        .filter(|entry| !is_there(entry))
        .copied()
        .collect();
    let what = match &unread[..] {
        [] => return,
        all if all.len() == present.len() => format!("the lock has nothing for `{folder}`"),
        some => {
            let names: Vec<&str> = some.iter().map(|entry| entry.name.as_str()).collect();
            format!("`{folder}` has no {}", visible(&listed(&names)))
        }
    };
    let line = agents_line::with(place, agent);
    let note = format!(
        "Claude Code is in use here, and {what}: `{line}` in skills.toml and `skillyard sync` put the skills there, too"
    );
    context.printer.note(&note);
}
