//! The last steps of every change: bytes into the store, the plan made true.

use rayon::prelude::*;
use skillyard_audit::{Event, EventKind};
use skillyard_install::lockfile::Locked;
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{Change, OnConflict, Plan, Wish};
use skillyard_install::transaction::{Transaction, Trees, plan_in};

use super::place::Place;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;

/// What would change, without changing or waiting.
pub(crate) fn preview(
    place: &Place,
    wish: &Wish,
    on_conflict: OnConflict,
) -> Result<Plan, CommandError> {
    let lock = place.lock()?;
    let plan = plan_in(&place.scope, &place.store, &lock, wish, on_conflict);
    refuse_conflicts(plan)
}

/// Makes the wish true. The plan is made again now that nobody else can change anything.
pub(crate) fn apply(
    context: &Context,
    place: &Place,
    wish: &Wish,
    trees: &Trees,
    on_conflict: OnConflict,
    edit: impl FnOnce(&mut Manifest),
) -> Result<Plan, CommandError> {
    // Held until the lock names what was put into the store.
    let _in_use = place.store.in_use().map_err(InstallFailure::from)?;
    let trees_by_digest: Vec<_> = trees.values().collect();
    trees_by_digest
        .par_iter()
        .try_for_each(|tree| place.store.insert(tree))
        .map_err(InstallFailure::from)?;
    let mut transaction =
        Transaction::begin(&place.scope, &place.store).map_err(InstallFailure::from)?;
    let plan = refuse_conflicts(transaction.plan(wish, on_conflict))?;
    if let Some(manifest) = transaction.manifest() {
        edit(manifest);
    }
    transaction
        .commit(&plan, trees)
        .map_err(InstallFailure::from)?;
    context.recorder()?.record_all(&events(&plan))?;
    Ok(plan)
}

/// What was done, for the log.
fn events(plan: &Plan) -> Vec<Event> {
    let event = |kind, entry: &Locked| {
        let event = Event::new(kind)
            .skill(&entry.name)
            .digest(entry.digest.to_string())
            .source(entry.reference())
            .trigger("user");
        match &entry.url {
            Some(url) => event.origin(url),
            None => event,
        }
    };
    let changes = plan.changes.iter();
    changes
        .map(|change| match change {
            Change::Added { to } => event(EventKind::SkillInstalled, to),
            Change::Changed { from, to } => {
                event(EventKind::SkillUpdated, to).detail("before", from.digest.to_string())
            }
            Change::Repaired { to } => event(EventKind::SkillUpdated, to).detail("repaired", "yes"),
            Change::Removed { from } => event(EventKind::SkillRemoved, from),
        })
        .collect()
}

fn refuse_conflicts(plan: Plan) -> Result<Plan, CommandError> {
    if plan.conflicts.is_empty() {
        Ok(plan)
    } else {
        Err(InstallFailure::Conflicts(plan.conflicts).into())
    }
}
