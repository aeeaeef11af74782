//! `skillyard remove`.

use std::time::Instant;

use skillyard_install::lockfile::Lockfile;
use skillyard_install::plan::Wish;
use skillyard_install::transaction::Trees;

use super::{Outcome, install};
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::install::finish;
use crate::install::place::{Place, ScopeArgs};

/// Remove installed skills, and what only they needed
///
/// Examples:
///   skillyard remove pdf-tools
///   skillyard remove pdf-tools --scope user --dry-run
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The skills' names
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Remove it even if it was edited
    #[arg(long)]
    force: bool,
    /// Show what would happen, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    let place = Place::find(context, &args.scope)?;
    let lock = place.lock()?;
    for name in &args.names {
        lock.get(name)
            .ok_or_else(|| InstallFailure::not_installed(&lock, name))?;
    }
    let mut absent = args.names.clone();
    absent.extend(orphans(&lock, &args.names));
    let wish = Wish {
        present: Vec::new(),
        absent,
    };
    let settlement = finish::settlement(args.force);
    let preview = finish::preview(&place, &wish, &settlement)?;
    if args.dry_run {
        return install::report(context, &place, &preview, Some(start), true);
    }
    let plan = finish::apply(
        context,
        &place,
        &wish,
        &Trees::default(),
        &settlement,
        |manifest, _| {
            for name in &args.names {
                manifest.remove(name);
            }
        },
    )?;
    install::report(context, &place, &plan, Some(start), false)
}

/// Dependencies that nobody needs once `removed` are gone.
pub(super) fn orphans(lock: &Lockfile, removed: &[String]) -> Vec<String> {
    let mut needed: Vec<&str> = Vec::new();
    let is_removed = |name: &str| removed.iter().any(|each| each == name);
    let roots = lock
        .skills()
        .iter()
        .filter(|entry| !entry.dependency && !is_removed(&entry.name));
    let mut queue: Vec<&str> = roots.map(|entry| entry.name.as_str()).collect();
    while let Some(name) = queue.pop() {
        if needed.contains(&name) {
            continue;
        }
        needed.push(name);
        if let Some(entry) = lock.get(name) {
            queue.extend(entry.requires.iter().map(String::as_str));
        }
    }
    lock.skills()
        .iter()
        .filter(|entry| entry.dependency && !needed.contains(&entry.name.as_str()))
        .filter(|entry| !is_removed(&entry.name))
        .map(|entry| entry.name.clone())
        .collect()
}
