//! `skillyard update`.

use std::time::Instant;

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::{Change, Plan};

use super::Outcome;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::place::{Place, ScopeArgs};
use crate::install::report::report;
use crate::install::scanner::Scanner;
use crate::install::supply::{Supply, as_locked};
use crate::install::threads::work_along;
use crate::install::wish::{signed, wish};
use crate::install::{check, difference, finish, review};
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
    let mut roots = Vec::new();
    for entry in chosen(&lock, &args.names)? {
        roots.push(newest(&mut supply, entry)?);
    }
    let needed = dependencies::resolve(roots, &mut supply)
        .map_err(|error| InstallFailure::Dependencies(Box::new(error)))?;
    let mut goal = wish(&needed, &lock, &[], false);
    for entry in &mut goal.present {
        match lock.get(&entry.name) {
            Some(before) => entry.linked = before.linked,
            // A dependency that is new goes where its first dependant is.
            None => entry.targets = place.targets(&[], &context.config()?.install_agents())?,
        }
    }
    let settlement = finish::settlement(args.force);
    let preview = finish::preview(&place, &goal, &settlement)?;
    show(context, &place, &preview, &needed);
    if args.dry_run {
        return report(context, &place, &preview, Some(start), true);
    }
    let fresh = check::fresh(&needed, &preview, &place.store);
    let scanner = Scanner::new(&place.store);
    let checked = check::check(context, &scanner, fresh, &args.accept)?;
    review::confirm(context, &checked, args.yes)?;
    let goal = signed(goal, &checked);
    let trees = finish::trees(&needed);
    let plan = finish::apply_as_wanted(context, &place, &goal, &trees, &settlement, || Ok(()))?;
    check::remember(context, &scanner, &checked)?;
    report(context, &place, &plan, Some(start), false)
}

/// The entries that were named, or all that were asked for once.
pub(super) fn chosen<'a>(
    lock: &'a Lockfile,
    names: &[String],
) -> Result<Vec<&'a Locked>, CommandError> {
    if names.is_empty() {
        return Ok(lock
            .skills()
            .iter()
            .filter(|entry| !entry.dependency)
            .collect());
    }
    let entry = |name: &String| {
        let entry = lock.get(name);
        entry.ok_or_else(|| InstallFailure::not_installed(lock, name).into())
    };
    names.iter().map(entry).collect()
}

/// The newest state of what was asked for, under the name it is installed by.
pub(super) fn newest(supply: &mut Supply<'_>, entry: &Locked) -> Result<Candidate, CommandError> {
    let reference = supply.requested(entry)?;
    let candidate = supply.one(&reference)?;
    as_locked(candidate, entry)
}

/// Shows what changes in each skill.
fn show(context: &Context, place: &Place, plan: &Plan, needed: &[dependencies::Needed]) {
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
