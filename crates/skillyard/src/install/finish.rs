//! The last steps of every change: bytes into the store, the plan made true.

use std::sync::Arc;

use skillyard_install::chronicle::Ending;
use skillyard_install::dependencies::Needed;
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{OnConflict, Plan, Settlement, Wish};
use skillyard_install::transaction::{Transaction, Trees, plan_in};

use super::chronicle::{self, Chronicle};
use super::place::Place;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;

/// What `--force` means for what is in the way.
pub(crate) fn settlement(force: bool) -> Settlement {
    Settlement::from(if force {
        OnConflict::Replace
    } else {
        OnConflict::Report
    })
}

/// What would change, without changing or waiting.
pub(crate) fn preview(
    place: &Place,
    wish: &Wish,
    settlement: &Settlement,
) -> Result<Plan, CommandError> {
    refuse_conflicts(look(place, wish, settlement)?)
}

/// What would change, and what is in the way of it.
pub(crate) fn look(
    place: &Place,
    wish: &Wish,
    settlement: &Settlement,
) -> Result<Plan, CommandError> {
    let before = place.before()?;
    Ok(plan_in(
        &place.scope,
        &place.store,
        &before,
        wish,
        settlement,
    ))
}

/// The bytes of skills, by their digests.
pub(crate) fn trees(needed: &[Needed]) -> Trees {
    let trees = needed.iter().map(|each| &each.candidate.tree);
    trees
        .map(|tree| (tree.digest(), Arc::clone(tree)))
        .collect()
}

/// Makes the wish true, unless the last check of what is new fails; the manifest stays as it is.
pub(crate) fn apply_as_wanted(
    context: &Context,
    place: &Place,
    wish: &Wish,
    trees: &Trees,
    settlement: &Settlement,
    last_check: impl FnOnce() -> Result<(), CommandError>,
) -> Result<Plan, CommandError> {
    let nothing = |_: &mut Manifest, _: &Plan| {};
    apply(context, place, wish, trees, settlement, nothing, last_check)
}

/// Makes the wish true, unless the last check of what is new fails. The plan is made again now
/// that nobody else can change anything.
pub(crate) fn apply(
    context: &Context,
    place: &Place,
    wish: &Wish,
    trees: &Trees,
    settlement: &Settlement,
    edit: impl FnOnce(&mut Manifest, &Plan),
    last_check: impl FnOnce() -> Result<(), CommandError>,
) -> Result<Plan, CommandError> {
    // Held until the lock names what was put into the store.
    let _in_use = place.store.in_use().map_err(InstallFailure::from)?;
    let catch_up = |note: &str, ending: Ending<'_>| chronicle::catch_up(context, note, ending);
    let transaction = Transaction::begin(&place.scope, &place.store, &place.records, &catch_up);
    let mut transaction = transaction.map_err(InstallFailure::from)?;
    let plan = refuse_conflicts(transaction.plan(wish, settlement))?;
    if let Some(manifest) = transaction.manifest() {
        edit(manifest, &plan);
    }
    let chronicle = Chronicle::ready(context, &plan)?;
    transaction.commit(&plan, trees, last_check, &chronicle)?;
    Ok(plan)
}

/// A plan that can be carried out whole.
pub(crate) fn refuse_conflicts(plan: Plan) -> Result<Plan, CommandError> {
    if plan.conflicts.is_empty() {
        Ok(plan)
    } else {
        Err(InstallFailure::Conflicts(plan.conflicts).into())
    }
}
