//! `skillyard update`.

use std::time::Instant;

use serde_json::{Value, json};
use skillyard_install::dependencies::{self, Needed, Resolved};
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::{Change, Plan, Wish};

use super::Outcome;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::install::known::{again, known, unresolved};
use crate::install::moving::let_move;
use crate::install::newest::{Failed, expect, newest};
use crate::install::place::{Place, ScopeArgs};
use crate::install::report::report_with;
use crate::install::scanner::Scanner;
use crate::install::supply::Supply;
use crate::install::threads::work_along;
use crate::install::wanted::{Difference, after, orphans};
use crate::install::wish::{signed, wish};
use crate::install::withdrawn::Withdrawn;
use crate::install::{check, difference, finish, held_back, review};
use crate::sanitize::visible;

/// Update installed skills, and show what changes in them first
///
/// Each skill is resolved again as it was asked for: a branch to its newest commit, a range
/// such as ^1.2 to its highest version, a folder to what is in it now.
///
/// Examples:
///   skillyard update                 all skills
///   skillyard update pdf-tools
///   skillyard update --dry-run       only show the differences
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The skills' names; without one, all
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Replace skills that were edited
    #[arg(long)]
    force: bool,
    /// Update in spite of findings with these codes
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    accept: Vec<String>,
    /// Go on without asking; this never skips a refusal
    #[arg(short, long)]
    yes: bool,
    /// Show what would happen, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    work_along();
    let place = Place::find(context, &args.scope)?;
    let lock = place.lock()?;
    let mut supply = Supply::new(context, &place);
    let difference = Difference::of(&lock, &place, &supply)?;
    let names = chosen(&lock, &difference, &args.names)?;
    let gone = match &args.names[..] {
        [] => &difference.unwanted[..],
        _ => &[],
    };
    let installed = names.iter().filter_map(|name| lock.get(name));
    expect(
        &mut supply,
        &difference,
        installed.map(|entry| (entry, None)),
    );
    let (mut roots, mut failed) = (Vec::new(), Vec::new());
    for name in &names {
        // One source that cannot be reached must not keep the others from being updated.
        match newest(&mut supply, &lock, &difference, name, None) {
            Ok(candidate) => roots.push(again(candidate, &lock, &difference, &place)),
            Err(error) if names.len() == 1 => return Err(error),
            Err(error) => failed.push(Failed::new(name, &error)),
        }
    }
    let staying = after(&lock, &[], gone);
    let known = known(&staying, &place, &supply)?;
    let resolved = dependencies::resolve_each(roots, &known, &mut supply);
    let Resolved {
        needed,
        failed: unmet,
    } = resolved.map_err(unresolved)?;
    for each in unmet {
        let error = unresolved(each.error);
        if names.len() == 1 {
            return Err(error);
        }
        failed.extend(each.roots.iter().map(|name| Failed::new(name, &error)));
    }
    held_back::tell(context, &needed);
    failed.sort_by(|first, second| first.name.cmp(&second.name));
    for each in &failed {
        each.tell(context);
    }
    let is_asked = |entry: &&Locked| args.names.is_empty() || args.names.contains(&entry.name);
    let installed = lock.skills().iter().filter(is_asked);
    let withdrawn = Withdrawn::among(&mut supply, installed);
    for each in &withdrawn {
        each.tell(context);
    }
    let besides = Besides {
        failed,
        withdrawn,
        held_back: held_back::json(&needed),
    };
    let mut goal = goal(context, &place, &lock, &difference, &needed)?;
    goal.absent.extend_from_slice(gone);
    goal.absent
        .extend(orphans(&after(&lock, &goal.present, &goal.absent)));
    let mut settlement = finish::settlement(args.force);
    let_move(&mut settlement, &lock, &difference, &needed);
    let (preview, held) = finish::preview_around(&place, &goal, &mut settlement)?;
    show(context, &place, &preview, &needed);
    let fresh = check::fresh(&needed, &preview, &place.store);
    let scanner = Scanner::new(&place.store);
    let checked = check::check(context, &scanner, fresh, &args.accept)?;
    if args.dry_run {
        review::show(context, &checked);
        let status = told(context, &place, &preview, &besides, start, true)?;
        return held.after(context, status);
    }
    review::confirm(context, &checked, args.yes)?;
    let goal = signed(goal, &checked);
    let trees = finish::trees(&needed);
    let plan = finish::apply_as_wanted(context, &place, &goal, &trees, &settlement, || Ok(()))?;
    check::remember(context, &scanner, &checked)?;
    let status = told(context, &place, &plan, &besides, start, false)?;
    held.after(context, status)
}

/// What people are told before the changes.
struct Besides {
    failed: Vec<Failed>,
    withdrawn: Vec<Withdrawn>,
    held_back: Value,
}

/// Tells what was or would be done; programs are told what people were told before it, too.
fn told(
    context: &Context,
    place: &Place,
    plan: &Plan,
    besides: &Besides,
    start: Instant,
    dry_run: bool,
) -> Outcome {
    let failed = &besides.failed;
    let is_told = failed.is_empty() || !plan.changes.is_empty() || !plan.unchanged.is_empty();
    // Where no source could be read there is nothing to add to that.
    if is_told || context.printer.is_json() {
        report_with(context, place, plan, Some(start), dry_run, |answer| {
            answer["failed"] = json!(failed);
            answer["withdrawn"] = json!(besides.withdrawn);
            answer["held_back"] = besides.held_back.clone();
        })?;
    }
    Ok(if failed.is_empty() {
        Status::Yes
    } else {
        Status::No
    })
}

/// What is to be: what was found goes where it is, and what is new where it is needed.
fn goal(
    context: &Context,
    place: &Place,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
) -> Result<Wish, CommandError> {
    let config = context.config()?;
    let mut goal = wish(needed, lock, &[], config.installs_links());
    for entry in &mut goal.present {
        if let Some(before) = lock.get(&entry.name) {
            entry.linked = before.linked;
            // A dependency that was named is still nobody's wish.
            if difference.reference(&entry.name).is_none() {
                entry.dependency = before.dependency;
            }
        } else if !entry.dependency {
            entry.targets = place.targets(&[], &config.install_agents())?;
        }
    }
    settle_beside_dependants(&mut goal.present);
    for entry in &mut goal.present {
        if let Some(spread) = difference.spread(entry) {
            *entry = spread;
        }
    }
    Ok(goal)
}

/// A dependency that is new goes where the skills are that need it.
fn settle_beside_dependants(entries: &mut [Locked]) {
    // Each round settles those that settled ones need.
    for _ in 0..entries.len() {
        let settled: Vec<Locked> = entries
            .iter()
            .filter(|each| !each.targets.is_empty())
            .cloned()
            .collect();
        let mut is_done = true;
        for entry in entries.iter_mut().filter(|each| each.targets.is_empty()) {
            let dependants = settled
                .iter()
                .filter(|each| each.needs().any(|name| name == entry.name));
            entry.targets = dependants.flat_map(|each| each.targets.clone()).collect();
            entry.targets.sort_unstable();
            entry.targets.dedup();
            is_done = false;
        }
        if is_done {
            return;
        }
    }
}

/// The names that were given, or all that are asked for.
fn chosen(
    lock: &Lockfile,
    difference: &Difference,
    names: &[String],
) -> Result<Vec<String>, CommandError> {
    let is_known = |name: &str| lock.get(name).is_some() || difference.reference(name).is_some();
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(InstallFailure::not_installed(lock, name).into());
    }
    if !names.is_empty() {
        return Ok(names.to_vec());
    }
    let locked = lock.skills().iter().filter(|entry| !entry.dependency);
    let locked = locked.map(|entry| &entry.name);
    let locked = locked.filter(|name| !difference.unwanted.contains(name));
    let wanted = difference.wanted.iter().map(|(name, _)| name);
    let mut all: Vec<String> = locked.chain(wanted).cloned().collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Shows what changes in each skill.
fn show(context: &Context, place: &Place, plan: &Plan, needed: &[Needed]) {
    for change in &plan.changes {
        let Change::Changed { from, to } = change else {
            continue;
        };
        let after = needed.iter().find(|each| each.candidate.name == to.name);
        if let (Ok(before), Some(after)) = (place.store.read(from.digest), after) {
            let text = difference::between(&before, &after.candidate.tree);
            if !text.is_empty() {
                let name = visible(&to.name);
                context
                    .printer
                    .note(&format!(" ~ {name}\n{}", text.trim_end_matches('\n')));
            }
        }
    }
}
