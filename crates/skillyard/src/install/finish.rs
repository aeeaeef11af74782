//! The last steps of every change: bytes into the store, the plan made true.

use rayon::prelude::*;
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{OnConflict, Plan, Wish};
use skillyard_install::transaction::{Transaction, Trees, plan_in};

use super::place::Place;
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
    Ok(plan)
}

fn refuse_conflicts(plan: Plan) -> Result<Plan, CommandError> {
    if plan.conflicts.is_empty() {
        Ok(plan)
    } else {
        Err(InstallFailure::Conflicts(plan.conflicts).into())
    }
}
