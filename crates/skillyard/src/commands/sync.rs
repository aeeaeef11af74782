//! `skillyard sync`.

use std::sync::Arc;
use std::time::Instant;

use skillyard_format::Digest;
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::Wish;
use skillyard_install::transaction::Trees;
use skillyard_install::tree::Tree;

use super::Outcome;
use super::remove::orphans;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::install::place::{Place, ScopeArgs};
use crate::install::report::{report, tell_about_trust};
use crate::install::scanner::Scanner;
use crate::install::supply::{Supply, named};
use crate::install::threads::work_along;
use crate::install::wish::{signed, wish};
use crate::install::{check, finish, review};

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
    /// Refuse when the lock does not match skills.toml
    #[arg(long)]
    locked: bool,
    /// Use the lock as it is, and do not look at skills.toml
    #[arg(long, conflicts_with = "locked")]
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
    /// Install in spite of findings with these codes
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    accept: Vec<String>,
    /// Go on without asking; this never skips a refusal
    #[arg(short, long)]
    yes: bool,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    work_along();
    let place = Place::find(context, &args.scope)?;
    let lock = place.lock()?;
    let manifest = place
        .manifest()?
        .filter(|_| !args.frozen && place.has_manifest());
    let mut supply = Supply::new(context, &place);
    let difference = match &manifest {
        Some(manifest) => Difference::of(&lock, manifest, &supply)?,
        None => Difference::default(),
    };
    if args.locked && !difference.is_empty() {
        return Err(InstallFailure::LockOutdated(difference.to_string()).into());
    }
    let mut trees = Trees::default();
    let mut goal = Wish::default();
    let mut gone = difference.unwanted.clone();
    gone.extend(orphans(&lock, &gone));
    for entry in lock.skills() {
        let resolved_anew = difference
            .wanted
            .iter()
            .any(|(name, _)| *name == entry.name);
        if !gone.contains(&entry.name) && !resolved_anew {
            goal.present.push(entry.clone());
        }
    }
    goal.absent = gone;
    let needed = resolve(&mut supply, &difference, args)?;
    let targets = place.targets(&[], &context.config()?.install_agents())?;
    goal.present
        .extend(wish(&needed, &lock, &targets, false).present);
    let settlement = finish::settlement(args.force);
    let preview = finish::preview(&place, &goal, &settlement)?;
    if args.check {
        report(context, &place, &preview, Some(start), true)?;
        return Ok(if preview.is_empty() {
            Status::Yes
        } else {
            Status::No
        });
    }
    for each in &needed {
        trees.insert(
            each.candidate.tree.digest(),
            Arc::clone(&each.candidate.tree),
        );
    }
    // Only what really has to be written must be at hand.
    let written = preview.written().filter_map(|name| lock.get(name));
    let locked: Vec<&Locked> = written
        .filter(|entry| !trees.contains_key(&entry.digest) && goal.present.contains(entry))
        .collect();
    let digests: Vec<Digest> = locked.iter().map(|entry| entry.digest).collect();
    let stored = place.store.read_each(&digests, |_, tree| tree.ok());
    let stored: Vec<Option<Tree>> = stored.map_err(InstallFailure::from)?;
    let mut fetched = Vec::new();
    for (entry, stored) in locked.into_iter().zip(stored) {
        match stored {
            Some(tree) => drop(trees.insert(entry.digest, Arc::new(tree))),
            None => fetched.push(fetch(&place, &mut supply, entry, args.offline)?),
        }
    }
    for candidate in &fetched {
        trees.insert(candidate.tree.digest(), Arc::clone(&candidate.tree));
    }
    let fresh = check::fresh(&needed, &preview, &place.store);
    let scanner = Scanner::new(&place.store);
    let checked = check::verify(context, &scanner, fresh)?;
    // Nobody is asked whether they are wanted, which was decided when they were locked. But a lock
    // comes with a checkout, and what it names may never have been looked at on this machine.
    let restored = check::verify(context, &scanner, fetched.iter().collect())?;
    let scan = || {
        check::scan(context, &checked, &args.accept)?;
        check::scan(context, &restored, &args.accept)
    };
    let asks = !args.yes && review::asks(&checked);
    if asks {
        scan()?;
        review::confirm(context, &checked, false)?;
    }
    // Where nobody has to be waited for, the disk does not wait for the scanner either.
    let last_check = || {
        if !asks {
            scan()?;
            review::show(context, &checked);
        }
        Ok(())
    };
    let goal = signed(goal, &checked);
    let plan = finish::apply_as_wanted(context, &place, &goal, &trees, &settlement, last_check)?;
    check::remember(context, &scanner, &checked)?;
    check::remember(context, &scanner, &restored)?;
    let status = report(context, &place, &plan, Some(start), false)?;
    tell_about_trust(context, &place, &plan)?;
    Ok(status)
}

/// What `skills.toml` wants beyond the lock.
fn resolve(
    supply: &mut Supply<'_>,
    difference: &Difference,
    args: &Args,
) -> Result<Vec<dependencies::Needed>, CommandError> {
    let mut roots: Vec<Candidate> = Vec::new();
    for (name, reference) in &difference.wanted {
        if args.offline {
            return Err(InstallFailure::Offline(name.clone()).into());
        }
        let reference = supply.written(reference)?;
        let found = supply.one(&reference)?;
        let mut candidate = named(found, name)?;
        // As it is wanted, so that the lock and skills.toml go on matching.
        let (source, _) = supply.source_of(&reference, reference.path())?;
        candidate.source = source;
        roots.push(candidate);
    }
    let needed = dependencies::resolve(roots, supply);
    Ok(needed.map_err(|error| InstallFailure::Dependencies(Box::new(error)))?)
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
        .discard(&[entry.digest])
        .map_err(InstallFailure::from)?;
    let candidate = supply.locked(entry)?;
    if candidate.tree.digest() != entry.digest {
        return Err(InstallFailure::NotAsLocked {
            name: entry.name.clone(),
            expected: entry.digest,
            found: candidate.tree.digest(),
        }
        .into());
    }
    Ok(candidate)
}

/// Where `skills.toml` and the lock differ.
#[derive(Debug, Default)]
struct Difference {
    /// Names and references that are not locked, or locked otherwise.
    wanted: Vec<(String, String)>,
    /// Locked names that are not wanted any more.
    unwanted: Vec<String>,
}

impl Difference {
    fn of(lock: &Lockfile, manifest: &Manifest, supply: &Supply<'_>) -> Result<Self, CommandError> {
        let mut difference = Self::default();
        for (name, reference) in manifest.skills() {
            let locked = lock.get(name).filter(|entry| !entry.dependency);
            let locked = locked.map(Locked::reference);
            // Mostly it is written as it is locked, and nothing has to be looked for.
            if locked.as_ref() != Some(reference)
                && locked.as_ref() != Some(&supply.canonical(reference)?)
            {
                difference.wanted.push((name.clone(), reference.clone()));
            }
        }
        for entry in lock.skills() {
            if !entry.dependency && manifest.get(&entry.name).is_none() {
                difference.unwanted.push(entry.name.clone());
            }
        }
        Ok(difference)
    }

    fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted = |names: Vec<&str>| names.join("`, `");
        let wanted: Vec<&str> = self.wanted.iter().map(|(name, _)| name.as_str()).collect();
        let unwanted: Vec<&str> = self.unwanted.iter().map(String::as_str).collect();
        match (wanted.is_empty(), unwanted.is_empty()) {
            (false, true) => write!(f, "`{}` is not locked as it is wanted", quoted(wanted)),
            (true, false) => write!(f, "`{}` is locked and not wanted", quoted(unwanted)),
            _ => write!(
                f,
                "`{}` is not locked as it is wanted, and `{}` is locked and not wanted",
                quoted(wanted),
                quoted(unwanted)
            ),
        }
    }
}
