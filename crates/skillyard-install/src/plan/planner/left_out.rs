//! Who is left out with what is left out: those that need it, and what only they need.

use std::collections::BTreeSet;

use super::conflict;
use crate::lockfile::Locked;
use crate::plan::{Conflict, ConflictReason, DesiredState, InstalledState, Plan};

/// The wish without those that need what a plan left out and is not there, and without what only
/// they need; nothing where there are none.
pub(super) fn without_skipped(
    before: &InstalledState,
    wish: &DesiredState,
    plan: &Plan,
) -> Option<(DesiredState, Vec<Conflict>)> {
    let is_missing = |name: &&str| before.lock.get(name).is_none();
    let skipped = plan.skipped.iter().map(|each| each.name.as_str());
    let mut missing: BTreeSet<&str> = skipped.filter(is_missing).collect();
    let mut without = Vec::new();
    // Who needs one of them is missing in turn, unless an older state of it stays.
    loop {
        let is_held = |name: &str| without.iter().any(|each: &Conflict| each.name == name);
        let lacking = wish.present.iter().find_map(|entry| {
            let lacks = entry.needs().find(|name| missing.contains(name))?;
            let is_left_out = missing.contains(&*entry.name) || is_held(&entry.name);
            (!is_left_out).then(|| (entry, lacks.to_owned()))
        });
        let Some((entry, lacks)) = lacking else { break };
        let target = entry.targets.first().map_or("", String::as_str);
        without.push(conflict(
            &entry.name,
            target,
            ConflictReason::Without(lacks),
        ));
        missing.extend(Some(&*entry.name).filter(is_missing));
    }
    if without.is_empty() {
        return None;
    }
    let stays = |entry: &&Locked| without.iter().all(|each| each.name != entry.name);
    let mut present: Vec<&Locked> = wish.present.iter().filter(stays).collect();
    // What came along for them alone goes with them, and what came along for that.
    loop {
        let is_needed = |name: &str| {
            let locked = before.lock.skills().iter();
            let mut all = locked.chain(present.iter().copied());
            all.any(|entry| entry.needs().any(|each| each == name))
        };
        // What something is in the way of is the reason, and stays to be told.
        let is_skipped = |name: &str| plan.skipped.iter().any(|each| each.name == name);
        let is_alone = |entry: &&Locked| {
            entry.dependency
                && is_missing(&&*entry.name)
                && !is_needed(&entry.name)
                && !is_skipped(&entry.name)
        };
        let Some(at) = present.iter().position(is_alone) else {
            break;
        };
        present.remove(at);
    }
    let wish = DesiredState {
        present: present.into_iter().cloned().collect(),
        ..wish.clone()
    };
    Some((wish, without))
}
