//! `skillyard sync`.

mod attempt;
mod course;
mod refused;

use std::sync::Arc;
use std::time::Instant;

use skillyard_format::Digest;
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{DesiredState, InstalledState};
use skillyard_install::transaction::Trees;
use skillyard_install::tree::Tree;

use self::attempt::Sync;
use self::refused::Refused;
use crate::context::Context;
use crate::error::install::{InstallFailure, Stale};
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::accept;
use crate::install::desired_state::wish;
use crate::install::renaming::as_locked;
use crate::install::skipped_skills::SkippedSkills;
use crate::install::source_resolver::SourceResolver;
use crate::install::source_resolver::unavailable::is_rewritten;
use crate::install::stale::{is_checked_out, stale};
use crate::install::wanted::Difference;
use crate::scope::{ScopeArgs, ScopeContext, after};

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
pub(crate) struct SyncArgs {
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

pub(crate) fn run(context: &Context, args: &SyncArgs) -> Outcome {
    let start = Instant::now();
    accept::check(&args.accept)?;
    context.keep_config()?;
    let place = ScopeContext::find(context, &args.scope)?;
    // What is wanted is read beside what is locked, and remembered.
    let (before, _) = rayon::join(
        || place.before(),
        || args.frozen || place.manifest().is_ok(),
    );
    let before = before?;
    let mut supply = SourceResolver::new(context, &place);
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
    place: &ScopeContext,
    supply: &mut SourceResolver<'_>,
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
    place: &ScopeContext,
    supply: &mut SourceResolver<'_>,
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
fn locked(supply: &mut SourceResolver<'_>, entry: &Locked) -> Result<Candidate, CommandError> {
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

/// What is to be: what is locked, unless it is wanted otherwise, or by nobody any more.
fn goal(
    context: &Context,
    place: &ScopeContext,
    before: &InstalledState,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
    held: &SkippedSkills,
) -> Result<DesiredState, CommandError> {
    if difference.is_empty() {
        return Ok(as_found(before, lock.skills().to_vec(), Vec::new()));
    }
    let config = context.config()?;
    let targets = place.targets(&[], &config.install_agents())?;
    let mut anew = wish(needed, lock, &targets, config.installs_links())?.present;
    for entry in &mut anew {
        if let Some(before) = lock.get(&entry.name) {
            entry.linked = before.linked;
            // What was only read again for what it needs stays what it was.
            if difference.reference(&entry.name).is_none() {
                entry.dependency = before.dependency;
            }
        }
    }
    let manifest = place.manifest()?;
    let absent = held.orphans(&after(lock, &anew, &[]), manifest.as_ref());
    anew.retain(|entry| !absent.contains(&entry.name));
    let is_anew = |name: &str| anew.iter().any(|entry| entry.name == name);
    let stays = |entry: &&Locked| !is_anew(&entry.name) && !absent.contains(&entry.name);
    let stays = lock.skills().iter().filter(stays);
    let mut present: Vec<Locked> = stays.cloned().collect();
    present.append(&mut anew);
    for entry in &mut present {
        if let Some(spread) = difference.spread(entry) {
            *entry = spread;
        }
    }
    Ok(as_found(before, present, absent))
}

/// What is to be on this machine, whatever is here. What a colleague took out of the lock goes from
/// here too, as long as it is what was put here.
fn as_found(before: &InstalledState, present: Vec<Locked>, absent: Vec<String>) -> DesiredState {
    let is_wanted = |name: &&str| present.iter().any(|entry| entry.name == **name);
    let dropped = before.dropped().filter(|name| !is_wanted(name));
    let dropped = dropped.map(str::to_owned).collect();
    DesiredState {
        present,
        absent,
        dropped,
        ..DesiredState::default()
    }
}

/// What the lock does not have as it should.
struct Compared {
    /// As skills.toml wants it.
    difference: Difference,
    /// As it lies in the project, where that is looked at.
    stale: Vec<Stale>,
}

impl Compared {
    /// Compares the lock, and refuses where it has to match.
    fn of(
        args: &SyncArgs,
        place: &ScopeContext,
        lock: &Lockfile,
        supply: &mut SourceResolver<'_>,
    ) -> Result<Self, CommandError> {
        if args.frozen {
            refuse_without_lock(place)?;
        }
        // Whoever wants both wants a lock that matches, and nothing but that.
        if args.frozen && !args.locked {
            return Ok(Self {
                difference: Difference::default(),
                stale: Vec::new(),
            });
        }
        let difference = Difference::of(lock, place, supply)?;
        if args.locked && !difference.is_empty() {
            return Err(InstallFailure::LockOutdated(difference.to_string()).into());
        }
        // What is only put into place need not be had from its source.
        let stale = if (args.locked || args.check) && !args.offline {
            stale(lock, &difference, place, supply)
        } else {
            Vec::new()
        };
        if args.locked && !stale.is_empty() {
            return Err(InstallFailure::Stale(stale).into());
        }
        Ok(Self { difference, stale })
    }
}

/// Tells of what lies in the project otherwise than it is locked; programs were told already.
fn told_compared(context: &Context, stale: Vec<Stale>, status: ExitStatus) -> Outcome {
    if stale.is_empty() || context.printer.is_json() {
        return Ok(status);
    }
    Err(InstallFailure::Stale(stale).into())
}

/// To go by a lock that nobody committed, or in another folder than was meant, would be to install
/// nothing, and call that a success.
fn refuse_without_lock(place: &ScopeContext) -> Result<(), CommandError> {
    let file = place.scope.lock_file();
    if file.exists() {
        return Ok(());
    }
    let names_skills = |manifest: &Manifest| !manifest.skills().is_empty();
    // Who wrote what cannot be read wanted something.
    let is_wanted = place
        .manifest()
        .map_or(true, |manifest| manifest.as_ref().is_some_and(names_skills));
    Err(InstallFailure::NoLock { file, is_wanted }.into())
}
