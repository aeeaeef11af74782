//! The last steps of every change: bytes into the store, the plan made true.

use std::collections::BTreeSet;
use std::sync::Arc;

use skillyard_install::change_audit::ChangeOutcome;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::Locked;
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{
    Conflict, ConflictPolicy, ConflictReason, DesiredState, OnConflict, Plan,
};
use skillyard_install::transaction::{Transaction, TransactionError, Trees, check_inside, plan_in};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::change_audit::{ChangeAudit, InstallDetails};
use crate::install::skipped_skills::SkippedSkills;
use crate::scope;
use crate::scope::ScopeContext;

/// What `--force` means for what is in the way.
pub(crate) fn settlement(force: bool) -> ConflictPolicy {
    ConflictPolicy::from(if force {
        OnConflict::Replace
    } else {
        OnConflict::Report
    })
}

/// What would change, without changing or waiting.
pub(crate) fn preview(
    place: &ScopeContext,
    wish: &DesiredState,
    settlement: &ConflictPolicy,
) -> Result<Plan, CommandError> {
    refuse_conflicts(look(place, wish, settlement)?, wish)
}

/// What would change, and what is in the way of it.
pub(crate) fn look(
    place: &ScopeContext,
    wish: &DesiredState,
    settlement: &ConflictPolicy,
) -> Result<Plan, CommandError> {
    let before = place.before()?;
    let plan = plan_in(&place.scope, &place.store, &before, wish, settlement);
    refuse_elsewhere(place, &plan)?;
    Ok(plan)
}

/// Refuses a plan about folders that links lead out of the project to, or to something else in it: what
/// lies there is nobody's skill, and nothing would be changed there.
fn refuse_elsewhere(place: &ScopeContext, plan: &Plan) -> Result<(), CommandError> {
    let is_reached = |each: &&Conflict| !each.obstacle.is_unreachable();
    let held = plan.conflicts.iter().chain(&plan.skipped);
    let held = held.filter(is_reached).map(|each| each.target.as_str());
    let steps = plan.steps.iter().map(|step| step.place().0);
    let targets: BTreeSet<&str> = steps.chain(held).collect();
    for target in targets {
        // A link may also lead to a folder of skills that is made only with the first of them.
        if let Err(
            error @ (TransactionError::Outside { .. } | TransactionError::NoSkillsBehind { .. }),
        ) = check_inside(&place.scope, target)
        {
            return Err(InstallFailure::from(error).into());
        }
    }
    Ok(())
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
    place: &ScopeContext,
    wish: &DesiredState,
    trees: &Trees,
    settlement: &ConflictPolicy,
    last_check: impl FnOnce() -> Result<(), CommandError>,
) -> Result<Plan, CommandError> {
    let goal = ChangeGoal {
        wish,
        trees,
        settlement,
        circumstances: &|_| InstallDetails::default(),
        afterwards: &|_| (),
    };
    apply(
        context,
        place,
        &goal,
        None::<fn(&mut Manifest, &Plan)>,
        last_check,
    )
}

/// What is to become true.
pub(crate) struct ChangeGoal<'a> {
    pub(crate) wish: &'a DesiredState,
    /// The bytes of what is new.
    pub(crate) trees: &'a Trees,
    pub(crate) settlement: &'a ConflictPolicy,
    /// How it came that a skill is installed.
    pub(crate) circumstances: &'a dyn Fn(&str) -> InstallDetails,
    /// What is done when it has become true, while the log waits for the disk.
    pub(crate) afterwards: &'a dyn Fn(&Plan),
}

/// Makes the wish true, unless the last check of what is new fails; `edit` changes the manifest along.
/// The plan is made again now that nobody else can change anything.
pub(crate) fn apply(
    context: &Context,
    place: &ScopeContext,
    goal: &ChangeGoal<'_>,
    edit: Option<impl FnOnce(&mut Manifest, &Plan)>,
    last_check: impl FnOnce() -> Result<(), CommandError>,
) -> Result<Plan, CommandError> {
    // Held until the lock names what was put into the store.
    let _in_use = place.store.in_use().map_err(InstallFailure::from)?;
    let catch_up = |note: &str, ending: ChangeOutcome<'_>| scope::catch_up(context, note, ending);
    let transaction = Transaction::begin(&place.scope, &place.store, &place.records, &catch_up);
    let mut transaction = transaction.map_err(InstallFailure::from)?;
    let first = place.records.first_lock();
    let meanwhile = |name: Option<&str>| match name {
        Some(name) => Err(InstallFailure::ChangedMeanwhile(name.to_owned())),
        None => Ok(()),
    };
    meanwhile(first.and_then(|first| transaction.changed_since(first, goal.wish)))?;
    let plan = refuse_conflicts(transaction.plan(goal.wish, goal.settlement), goal.wish)?;
    meanwhile(first.and_then(|first| transaction.torn_since(first, &plan)))?;
    if let Some(edit) = edit {
        let manifest = transaction.manifest(&place.records);
        if let Some(manifest) = manifest.map_err(InstallFailure::from)? {
            edit(manifest, &plan);
        }
    }
    let chronicle = ChangeAudit::ready(context, &plan, goal.circumstances)?;
    transaction.commit(&plan, goal.trees, last_check, &chronicle)?;
    (goal.afterwards)(&plan);
    Ok(plan)
}

/// The same where what is in the way of some skills must not hold up the others: they are left out,
/// and told of at the end. Where nothing else is to be done, they are all there is to tell people;
/// programs get the same answer as ever. There is no plan yet where something has to be resolved
/// again around them.
pub(crate) fn preview_around(
    context: &Context,
    place: &ScopeContext,
    wish: &DesiredState,
    settlement: &mut ConflictPolicy,
    held: &mut SkippedSkills,
) -> Result<Option<Plan>, CommandError> {
    held.settle(settlement);
    let mut plan = look(place, wish, settlement)?;
    if !plan.conflicts.is_empty() {
        let is_elsewhere =
            |each: &&Conflict| matches!(each.obstacle, ConflictReason::OtherSource(_));
        let elsewhere = plan.conflicts.iter().filter(is_elsewhere);
        // Who needs a skill from elsewhere must not be changed without it.
        if let Some(failure) = needed_name(elsewhere.cloned().collect(), wish) {
            return Err(failure.into());
        }
        for conflict in &plan.conflicts {
            settlement.settle(&conflict.name, OnConflict::Skip);
        }
        // What no folder can be made for cannot be left out.
        plan = refuse_conflicts(look(place, wish, settlement)?, wish)?;
    }
    if held.note(&plan, wish, &place.lock()?) {
        return Ok(None);
    }
    if plan.is_empty() && !held.is_empty() && !context.printer.is_json() {
        return Err(InstallFailure::LeftOut(held.conflicts()).into());
    }
    Ok(Some(plan))
}

/// A plan that can be carried out whole.
pub(crate) fn refuse_conflicts(plan: Plan, wish: &DesiredState) -> Result<Plan, CommandError> {
    let Some(first) = plan.conflicts.first() else {
        return Ok(plan);
    };
    // The name of what others need is not the user's to choose.
    let is_needed = |entry: &Locked| entry.name == first.name && entry.dependency;
    if wish.present.iter().any(is_needed)
        && !matches!(
            first.obstacle,
            ConflictReason::Edited(_)
                | ConflictReason::LineEnds(_)
                | ConflictReason::Source
                | ConflictReason::SourceChanged
        )
        && let Some(failure) = needed_name(plan.conflicts.clone(), wish)
    {
        return Err(failure.into());
    }
    Err(InstallFailure::Conflicts(plan.conflicts).into())
}

/// That something is in the way of what others need under the name that it has.
fn needed_name(conflicts: Vec<Conflict>, wish: &DesiredState) -> Option<InstallFailure> {
    let name = conflicts.first()?.name.clone();
    let dependants = wish.present.iter();
    let dependants = dependants.filter(|entry| entry.needs().any(|each| each == name));
    Some(InstallFailure::NeededName {
        by: dependants.map(|entry| entry.name.clone()).collect(),
        conflicts,
        name,
    })
}
