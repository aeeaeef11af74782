//! `skillyard remove`.

mod agents;
mod others;

use std::time::Instant;

use serde_json::json;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{DesiredState, Plan};
use skillyard_install::transaction::Trees;

use self::others::Others;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::apply::ChangeGoal;
use crate::install::change_audit::InstallDetails;
use crate::install::report::{report, tell_staying};
use crate::install::wanted::orphans;
use crate::install::written::UnmanagedSkill;
use crate::install::{apply, changes, orphaned_targets};
use crate::library::signers::warn_where_unknown;
use crate::question::must_agree;
use crate::scope::{ScopeArgs, ScopeContext, after, is_asked_for, leading_to, needed_by};
use crate::text::counted;
use crate::text::sanitize::visible;

/// Remove installed skills, and what only they needed
///
/// Examples:
///   skillyard remove pdf-tools
///   skillyard remove pdf-tools --scope user --dry-run
///   skillyard remove pdf-tools --agent claude-code   only out of the folder that it reads
///   skillyard remove draft --force   one that you wrote yourself, for good; it asks first
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct RemoveArgs {
    /// The skills' names
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Remove it only from the folders of these agents; others keep it
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    agent: Vec<String>,
    /// Remove it even if it was edited, or written here and never installed
    #[arg(long)]
    force: bool,
    /// Delete what was written here without asking
    #[arg(short, long)]
    yes: bool,
    /// Show what would happen, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, args: &RemoveArgs) -> Outcome {
    let start = Instant::now();
    warn_where_unknown(context);
    let place = ScopeContext::find(context, &args.scope)?;
    let place = orphaned_targets::or_left(place, context, &args.names)?;
    let before = place.before()?;
    let lock = before.lock.clone();
    // What a colleague took out of the lock was installed all the same, and is still there.
    let is_dropped = |name: &String| before.dropped().any(|each| each == name);
    let mut fewer = match &args.agent[..] {
        [] => Vec::new(),
        agents => agents::without(context, &place, &lock, &args.names, agents)?,
    };
    // What no other agent has goes as a whole.
    fewer.retain(|entry| !entry.targets.is_empty());
    let is_kept = |name: &&String| fewer.iter().any(|entry| entry.name == **name);
    let names = args.names.iter().filter(|name| !is_kept(name)).cloned();
    let (installed, others): (Vec<String>, Vec<String>) =
        names.partition(|name| lock.get(name).is_some() || is_dropped(name));
    let mut others = Others::among(context, &place, &lock, others, args.force)?;
    let manifest = place.manifest()?;
    let manifest = manifest.as_ref();
    let (mut absent, present) = split(&lock, &installed, manifest)?;
    absent.extend(installed.iter().filter(|name| is_dropped(name)).cloned());
    absent.extend(orphans(&after(&lock, &present, &absent), manifest));
    tell_staying(context, present.iter().map(|entry| entry.name.as_str()));
    let wish = DesiredState {
        present,
        fewer,
        absent,
        ..DesiredState::default()
    };
    let settlement = apply::settlement(args.force);
    let preview = apply::preview(&place, &wish, &settlement)?;
    others.look_around(context, &place, &before, &wish.absent)?;
    let told = others.lines();
    if !args.dry_run {
        confirm(context, &others.written, args.yes)?;
    }
    let is_nothing_installed = installed.is_empty() && wish.fewer.is_empty();
    let plan = if is_nothing_installed && others.wished.is_empty() {
        Plan::default()
    } else if args.dry_run {
        preview
    } else {
        let goal = ChangeGoal {
            wish: &wish,
            trees: &Trees::default(),
            settlement: &settlement,
            circumstances: &|_| InstallDetails::default(),
            afterwards: &|_| (),
        };
        apply::apply(
            context,
            &place,
            &goal,
            Some(|manifest: &mut Manifest, _: &Plan| {
                for name in installed.iter().chain(&others.wished) {
                    manifest.remove(name);
                }
            }),
            || Ok(()),
        )?
    };
    // Last, because it cannot be undone where the rest fails.
    if !args.dry_run {
        others.delete(context)?;
        orphaned_targets::tell_named(context, &place.scope, &args.names);
    }
    if !context.printer.is_json() {
        for line in &told {
            context.printer.note(&visible(line));
        }
        for (name, link) in &others.links {
            let line = format!(" - {name}  {}, a link to it", link.display());
            context.printer.note(&visible(&line));
        }
    }
    if is_nothing_installed || context.printer.is_json() {
        return finished(context, &place, &plan, &others, args.dry_run);
    }
    report(context, &place, &plan, Some(start), args.dry_run)
}

/// Asks about skills that were written here: no source brings them back.
fn confirm(context: &Context, written: &[UnmanagedSkill], yes: bool) -> Result<(), CommandError> {
    if written.is_empty() || yes {
        return Ok(());
    }
    let folders: Vec<String> = written
        .iter()
        .flat_map(|each| &each.folders)
        .map(|folder| format!("`{}`", folder.display()))
        .collect();
    let question = format!("Delete {} for good?", folders.join(" and "));
    must_agree(context, &question)
}

/// Tells programs what became of all skills, and people of those that were never installed, where
/// nothing else is removed.
fn finished(
    context: &Context,
    place: &ScopeContext,
    plan: &Plan,
    others: &Others,
    dry_run: bool,
) -> Outcome {
    if context.printer.is_json() {
        let mut answer = changes::json(plan, &place.scope, dry_run);
        let written = others.written.iter().map(|each| {
            let folders = each.folders.iter().map(|folder| folder.to_string_lossy());
            let folders: Vec<_> = folders.collect();
            json!({ "name": each.name, "change": "removed", "folder": folders.first(), "folders": folders })
        });
        let links = others.links.iter().map(|(_, link)| link.to_string_lossy());
        answer["links"] = links.collect();
        for (key, others) in [("stays", &others.stays), ("left", &others.left)] {
            let others = others.iter();
            let others = others.map(|(name, folder)| json!({ "name": name, "folder": folder }));
            answer[key] = others.collect();
        }
        let wished = others.wished.iter();
        let wished = wished
            .map(|name| json!({ "name": name, "change": "removed", "from": null, "to": null }));
        if let Some(changes) = answer["changes"].as_array_mut() {
            changes.extend(written.chain(wished));
        }
        context.printer.json(&answer)?;
        return Ok(ExitStatus::Success);
    }
    let told = |count: usize, would: &str, done: &str, how: &str| {
        if count > 0 {
            let done = if dry_run { would } else { done };
            let count = counted(count, "skill");
            context.printer.note(&format!("{done} {count} {how}"));
        }
    };
    let (links, whole): (Vec<_>, Vec<_>) = others.written.iter().partition(|each| each.is_linked);
    told(whole.len(), "Would delete", "Deleted", "for good");
    told(
        links.len(),
        "Would delete the link to",
        "Deleted the link to",
        "alone",
    );
    let wished = others.wished.len();
    told(wished, "Would take", "Took", "out of skills.toml");
    Ok(ExitStatus::Success)
}

/// What of the names goes, and what stays because other skills need it.
fn split(
    lock: &Lockfile,
    names: &[String],
    manifest: Option<&Manifest>,
) -> Result<(Vec<String>, Vec<Locked>), CommandError> {
    let is_named = |entry: &&Locked| names.contains(&entry.name);
    let roots = lock.skills().iter();
    let roots = roots.filter(|entry| is_asked_for(entry, manifest) && !is_named(entry));
    let needed = needed_by(lock, roots.map(|entry| entry.name.as_str()));
    let (mut gone, mut stays) = (Vec::new(), Vec::new());
    for entry in lock.skills().iter().filter(is_named) {
        if !needed.contains(entry.name.as_str()) {
            gone.push(entry.name.clone());
        } else if !is_asked_for(entry, manifest) {
            let needs = |each: &&Locked| each.needs().any(|name| name == entry.name);
            let dependants = lock.skills().iter().filter(needs);
            // Who only came along goes with those it came for.
            let leading = leading_to(lock, &entry.name);
            let asked = leading.filter(|each| is_asked_for(each, manifest));
            return Err(InstallFailure::StillNeeded {
                name: entry.name.clone(),
                dependants: dependants.map(|each| each.name.clone()).collect(),
                words: asked.map(|each| each.name.clone()).collect(),
            }
            .into());
        } else {
            let mut entry = entry.clone();
            entry.dependency = true;
            stays.push(entry);
        }
    }
    Ok((gone, stays))
}
