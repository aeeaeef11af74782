//! What an update is to lead to.

use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::DesiredState;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::check;
use crate::install::place::Place;
use crate::install::wanted::Difference;
use crate::install::wish::wish;

/// What is to be: what was found goes where it is, and what is new where it is needed.
pub(super) fn goal(
    context: &Context,
    place: &Place,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
) -> Result<DesiredState, CommandError> {
    let config = context.config()?;
    let mut goal = wish(needed, lock, &[], config.installs_links())?;
    check::sign_unchanged(context, &mut goal, lock, needed)?;
    for entry in &mut goal.present {
        if let Some(before) = lock.get(&entry.name) {
            entry.linked = before.linked;
            // A dependency that was named is still nobody's wish.
            if difference.reference(&entry.name).is_none() {
                entry.dependency = before.dependency;
            }
        } else if !entry.dependency {
            entry.targets = place.targets(&[], &config.install_agents())?;
        }
    }
    settle_beside_dependants(&mut goal.present);
    for entry in &mut goal.present {
        if let Some(spread) = difference.spread(entry) {
            *entry = spread;
        }
    }
    Ok(goal)
}

/// A dependency that is new goes where the skills are that need it.
fn settle_beside_dependants(entries: &mut [Locked]) {
    // Each round settles those that settled ones need.
    for _ in 0..entries.len() {
        let settled: Vec<Locked> = entries
            .iter()
            .filter(|each| !each.targets.is_empty())
            .cloned()
            .collect();
        let mut is_done = true;
        for entry in entries.iter_mut().filter(|each| each.targets.is_empty()) {
            let dependants = settled
                .iter()
                .filter(|each| each.needs().any(|name| name == entry.name));
            entry.targets = dependants.flat_map(|each| each.targets.clone()).collect();
            entry.targets.sort_unstable();
            entry.targets.dedup();
            is_done = false;
        }
        if is_done {
            return;
        }
    }
}
