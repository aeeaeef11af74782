//! `skillyard sync`.

mod attempt;
mod compared;
mod course;
mod goal;
mod refused;

use std::sync::Arc;
use std::time::Instant;

use skillyard_format::Digest;
use skillyard_install::candidate::Candidate;
use skillyard_install::lockfile::Locked;
use skillyard_install::transaction::Trees;
use skillyard_install::tree::Tree;

use self::attempt::Sync;
use self::compared::Compared;
use self::refused::Refused;
use super::Outcome;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::accept;
use crate::install::place::{Place, ScopeArgs};
use crate::install::renaming::as_locked;
use crate::install::stale::is_checked_out;
use crate::install::supply::Supply;
use crate::install::supply::unavailable::is_rewritten;
use crate::install::threads::work_along;

/// Make the installed skills match skills.toml and skills.lock
///
/// What is locked is taken from the store, or fetched again at the locked state, compared with
/// the locked digest and checked as in an installation. What skills.toml wants beyond the lock is
/// resolved and locked.
///
/// Examples:
///   skillyard sync               after a checkout
///   skillyard sync --locked      refuse when skills.toml and the lock do not match, as in CI
///   skillyard sync --check       change nothing, exit 1 when something would change
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are flags of the command line"
)]
pub(crate) struct Args {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Refuse when the lock does not match skills.toml, or a skill that lies in the project
    #[arg(long)]
    locked: bool,
    /// Use the lock as it is, and do not look at skills.toml, unless with `--locked` to compare them
    #[arg(long)]
    frozen: bool,
    /// Fetch nothing: everything must be in the store
    #[arg(long)]
    offline: bool,
    /// Change nothing; exit 1 when something would change
    #[arg(long)]
    check: bool,
    /// Replace skills that were edited
    #[arg(long)]
    force: bool,
    /// Install in spite of findings with these codes, or of a `rollback`
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    accept: Vec<String>,
    /// Go on without asking; this never skips a refusal
    #[arg(short, long)]
    yes: bool,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    work_along();
    accept::check(&args.accept)?;
    context.keep_config()?;
    let place = Place::find(context, &args.scope)?;
    // What is wanted is read beside what is locked, and remembered.
    let (before, _) = rayon::join(
        || place.before(),
        || args.frozen || place.manifest().is_ok(),
    );
    let before = before?;
    let mut supply = Supply::new(context, &place);
    let Compared { difference, stale } = Compared::of(args, &place, &before.lock, &mut supply)?;
    let sync = Sync {
        context,
        args,
        start,
        place: &place,
        before: &before,
        difference: &difference,
        stale,
    };
    let mut refused = Refused::default();
    loop {
        if let Some(status) = sync.attempt(&mut supply, &mut refused)? {
            return Ok(status);
        }
    }
}

/// Puts what is in the store to the trees, and fetches the rest of what is to be written.
fn fetch_missing<'a>(
    place: &Place,
    supply: &mut Supply<'_>,
    written: impl Iterator<Item = &'a Locked>,
    trees: &mut Trees,
    offline: bool,
) -> Result<Vec<Candidate>, CommandError> {
    let locked: Vec<&Locked> = written
        .filter(|entry| !trees.contains_key(&entry.digest))
        .collect();
    let digests: Vec<Digest> = locked.iter().map(|entry| entry.digest).collect();
    let stored: Vec<Option<Tree>> = place.store.read_each(&digests, |_, tree| tree.ok());
    if !offline {
        let missing = locked.iter().zip(&stored);
        let missing = missing.filter_map(|(entry, stored)| stored.is_none().then_some(*entry));
        supply.expect_locked(&missing.collect::<Vec<_>>());
    }
    let mut fetched = Vec::new();
    for (entry, stored) in locked.into_iter().zip(stored) {
        match stored {
            Some(tree) => drop(trees.insert(entry.digest, Arc::new(tree))),
            None => fetched.push(fetch(place, supply, entry, offline)?),
        }
    }
    let new = fetched.iter().map(|candidate: &Candidate| &candidate.tree);
    trees.extend(new.map(|tree| (tree.digest(), Arc::clone(tree))));
    Ok(fetched)
}

/// What the lock names and the store does not have: fetched again and compared.
fn fetch(
    place: &Place,
    supply: &mut Supply<'_>,
    entry: &Locked,
    offline: bool,
) -> Result<Candidate, CommandError> {
    if offline {
        return Err(InstallFailure::Offline(entry.name.clone()).into());
    }
    // A damaged copy would stay in the way of the sound one.
    place
        .store
        .discard_damaged(&[entry.digest])
        .map_err(InstallFailure::from)?;
    as_pinned(locked(supply, entry)?, entry)
}

/// The skill of an entry of the lock, or why its source does not give it. Where the locked commit is gone,
/// another one may have the same files, and that is all that is locked of them.
fn locked(supply: &mut Supply<'_>, entry: &Locked) -> Result<Candidate, CommandError> {
    supply.locked(entry).or_else(|error| {
        let reference = supply.source_at(&entry.source, entry.requested.as_deref())?;
        if is_rewritten(&error)
            && let Ok(found) = supply.one(&reference)
            && let Ok(found) = as_locked(found, entry)
            && found.tree.digest() == entry.digest
        {
            return Ok(found);
        }
        Err(supply.unavailable(&entry.name, &reference, Some(entry), error))
    })
}

/// A skill that has the bytes its entry in the lock names.
fn as_pinned(candidate: Candidate, entry: &Locked) -> Result<Candidate, CommandError> {
    if candidate.tree.digest() != entry.digest {
        return Err(InstallFailure::NotAsLocked {
            name: entry.name.as_str().into(),
            expected: entry.digest,
            found: candidate.tree.digest(),
            registry: entry
                .other_registry(candidate.origin.kind, Some(&candidate.origin.url))
                .map(Box::from),
            line_ends: (candidate.tree.with_plain_line_ends().digest() == entry.digest)
                .then_some(entry.source.as_str())
                .filter(|source| is_checked_out(source))
                .map(Box::from),
        }
        .into());
    }
    Ok(candidate)
}
