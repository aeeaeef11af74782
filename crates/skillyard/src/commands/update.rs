//! `skillyard update`.

mod attempt;
mod goal;

use std::time::Instant;

use skillyard_install::lockfile::Lockfile;

use self::attempt::Update;
use super::Outcome;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::install::accept;
use crate::install::held::Held;
use crate::install::known::{again, known};
use crate::install::newest::{Failed, expect, newest, refuse_other_registry};
use crate::install::place::{Place, ScopeArgs};
use crate::install::scanner::Scanner;
use crate::install::supply::Supply;
use crate::install::threads::work_along;
use crate::install::wanted::{Difference, unasked};

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

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    work_along();
    accept::check(&args.accept)?;
    context.keep_config()?;
    let place = Place::find(context, &args.scope)?;
    let lock = place.lock()?;
    let mut supply = Supply::new(context, &place);
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
    let unasked = Failed::status_of(&failed, names.len(), Status::Yes);
    let status = update.attempt(&mut supply, roots, failed, Held::default())?;
    Ok(match unasked {
        Status::Yes => status,
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
