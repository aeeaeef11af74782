//! `skillyard sync`.

mod compared;
mod course;
mod goal;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_format::Digest;
use skillyard_install::candidate::Candidate;
use skillyard_install::lockfile::Locked;
use skillyard_install::transaction::Trees;
use skillyard_install::tree::Tree;

use self::compared::Compared;
use self::course::Course;
use super::Outcome;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::install::check::Grounds;
use crate::install::place::{Place, ScopeArgs};
use crate::install::report::{report_with, tell_about_trust, tell_of_unread, tell_staying};
use crate::install::revoked::Revoked;
use crate::install::said::Said;
use crate::install::scanner::Scanner;
use crate::install::stale::is_checked_out;
use crate::install::supply::Supply;
use crate::install::threads::work_along;
use crate::install::wish::signed;
use crate::install::{check, findings, finish, held_back, inner, review, revoked_remedy};

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
    context.keep_config()?;
    let place = Place::find(context, &args.scope)?;
    // What is wanted is read beside what is locked, and remembered.
    let (before, _) = rayon::join(
        || place.before(),
        || args.frozen || place.manifest().is_ok(),
    );
    let before = before?;
    let lock = &before.lock;
    let mut supply = Supply::new(context, &place);
    let Compared { difference, stale } = Compared::of(args, &place, lock, &mut supply)?;
    let course = Course::find(context, args, &place, &mut supply, &before, &difference)?;
    let Course {
        needed,
        goal,
        settlement,
        preview,
        held,
    } = course;
    let scope = args.scope.typed();
    let revoked = Revoked::among(context, &place, scope, goal.present.iter())?;
    if !args.check {
        Revoked::refuse_written(context, &revoked, &preview, "sync")?;
    }
    held_back::tell(context, &needed);
    Revoked::tell(context, &revoked);
    let add = |answer: &mut Value| {
        answer["held_back"] = held_back::json(&needed);
        answer["revoked"] = json!(revoked);
    };
    let is_left = |name: &&str| goal.present.iter().any(|entry| entry.name == **name);
    let unwanted = difference.unwanted.iter().map(String::as_str);
    tell_staying(context, unwanted.filter(is_left));
    if args.check {
        let is_told = preview.is_empty() && !stale.is_empty() && !context.printer.is_json();
        if !is_told {
            let said = Said::of(context, &mut supply, &goal.present);
            report_with(context, &place, &preview, Some(start), true, 0, |answer| {
                add(answer);
                said.add(answer);
                answer["stale"] = json!(stale);
            })?;
        }
        let status = Status::of(preview.is_empty() && stale.is_empty() && revoked.is_empty());
        return compared::told(context, stale, held.after(context, status)?);
    }
    let mut trees = finish::trees(&needed);
    // Only what really has to be written must be at hand.
    let names: BTreeSet<&str> = preview.written().collect();
    let written = goal.present.iter();
    let written = written.filter(|entry| names.contains(entry.name.as_str()));
    let fetched = fetch_missing(&place, &mut supply, written, &mut trees, args.offline)?;
    let fresh = check::fresh(&needed, &preview, &place.store);
    let scanner = Scanner::new(&place.store);
    let wanted = difference.wanted.iter();
    let wanted: Vec<String> = wanted.map(|(name, _)| name.clone()).collect();
    let grounds = Grounds::of(lock, &needed, &preview, &place.store, &args.accept, &wanted);
    let checked = check::verify(context, &scanner, fresh, &grounds)?;
    // Nobody is asked whether they are wanted, which was decided when they were locked. But a lock
    // comes with a checkout, and what it names may never have been looked at on this machine.
    let restored = check::verify(context, &scanner, fetched.iter().collect(), &grounds);
    let restored = restored.map_err(|error| locked_still(error, scope))?;
    let scan = || {
        check::scan(context, &checked, &args.accept)?;
        check::scan(context, &restored, &args.accept)?;
        findings::tell(context, restored.iter());
        inner::tell(context, &restored.iter().collect::<Vec<_>>());
        Ok::<_, CommandError>(())
    };
    let asks = !args.yes && review::asks(&checked);
    if asks {
        scan()?;
        review::confirm(context, &checked, &preview, false)?;
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
    skillyard_install::remove_abandoned(&place.scope, &place.store, &before);
    let older = check::older(checked.iter().chain(&restored));
    let said = Said::of(context, &mut supply, &goal.present);
    report_with(context, &place, &plan, Some(start), false, 0, |answer| {
        add(answer);
        said.add(answer);
        answer["checked"] = review::json(checked.iter().chain(&restored));
        answer["older"] = older;
    })?;
    tell_about_trust(context, &place, &plan)?;
    if !args.frozen {
        tell_of_unread(context, &place, &goal.present);
    }
    held.after(context, Status::of(revoked.is_empty()))
}

/// Says of what is revoked, and was fetched because the lock names it, what can be done.
fn locked_still(mut error: CommandError, scope: &str) -> CommandError {
    if let CommandError::Install(InstallFailure::Revoked { name, hint, .. }) = &mut error {
        *hint = Some(revoked_remedy::remedy(name, scope));
    }
    error
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
    let stored = place.store.read_each(&digests, |_, tree| tree.ok());
    let stored: Vec<Option<Tree>> = stored.map_err(InstallFailure::from)?;
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

/// The skill of an entry of the lock, or why its source does not give it.
fn locked(supply: &mut Supply<'_>, entry: &Locked) -> Result<Candidate, CommandError> {
    supply.locked(entry).or_else(|error| {
        let reference = supply.source_at(&entry.source, entry.requested.as_deref())?;
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
