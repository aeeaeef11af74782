//! `skillyard update`.

mod attempt;

use std::time::Instant;

use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::DesiredState;

use self::attempt::Update;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::desired_state::wish;
use crate::install::newest::{Failed, expect, newest, refuse_other_registry};
use crate::install::scanner::Scanner;
use crate::install::skipped_skills::SkippedSkills;
use crate::install::source_resolver::SourceResolver;
use crate::install::version_constraints::{again, known};
use crate::install::wanted::{Difference, unasked};
use crate::install::{accept, check};
use crate::scope::{ScopeArgs, ScopeContext};

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
pub(crate) struct UpdateArgs {
    /// The skills' names; without one, all
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Replace skills that were edited, and take them from another registry than they were locked from
    #[arg(long)]
    force: bool,
    /// Update in spite of findings with these codes, or of a `rollback`
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    accept: Vec<String>,
    /// Go on without asking; this never skips a refusal
    #[arg(short, long)]
    yes: bool,
    /// Show what would happen, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, args: &UpdateArgs) -> Outcome {
    let start = Instant::now();
    accept::check(&args.accept)?;
    context.keep_config()?;
    let place = ScopeContext::find(context, &args.scope)?;
    let lock = place.lock()?;
    let mut supply = SourceResolver::new(context, &place);
    let difference = Difference::of(&lock, &place, &supply)?;
    let gone = match &args.names[..] {
        [] => &difference.unwanted[..],
        _ => &[],
    };
    // What skills.toml does not name any more may still be needed.
    let lock = unasked(&lock, gone);
    let names = chosen(&lock, &difference, &args.names)?;
    let expected = names.iter().map(|name| (name.as_str(), None));
    expect(&mut supply, &lock, &difference, expected);
    let (mut roots, mut failed) = (Vec::new(), Vec::new());
    for name in &names {
        let found = newest(&mut supply, &lock, &difference, name, None);
        let found = found.and_then(|candidate| {
            if !args.force {
                refuse_other_registry(&candidate, lock.get(name))?;
            }
            Ok(candidate)
        });
        // One source that cannot be reached must not keep the others from being updated.
        match found {
            Ok(candidate) => roots.push(again(candidate, &lock, &difference, &place)),
            Err(error) if names.len() == 1 => return Err(error),
            Err(error) => failed.push(Failed::new(context, name, &error)),
        }
    }
    let known = known(&lock, &place, &supply)?;
    let update = Update {
        context,
        args,
        names: &names,
        start,
        scanner: Scanner::new(&place.store),
        place: &place,
        lock: &lock,
        difference: &difference,
        known: &known,
        is_one: names.len() == 1,
        gone,
    };
    let unasked = Failed::status_of(&failed, names.len(), ExitStatus::Success);
    let status = update.attempt(&mut supply, roots, failed, SkippedSkills::default())?;
    Ok(match unasked {
        ExitStatus::Success => status,
        unasked => unasked,
    })
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
    let wanted = difference.wanted.iter().map(|(name, _)| name);
    let mut all: Vec<String> = locked.chain(wanted).cloned().collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// What is to be: what was found goes where it is, and what is new where it is needed.
fn goal(
    context: &Context,
    place: &ScopeContext,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
) -> Result<DesiredState, CommandError> {
    let config = context.config()?;
    let mut goal = wish(needed, lock, &[], config.installs_links())?;
    check::sign_unchanged(context, &mut goal, lock, needed)?;
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
