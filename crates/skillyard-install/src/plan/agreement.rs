//! What is requested of skills that are only there for others.

use std::collections::{BTreeMap, BTreeSet};

use super::{Plan, SkillChange};
use crate::dependencies::together;
use crate::lockfile::{Locked, Lockfile};
use crate::origin::OriginKind;

/// Lets the lock of a plan say of each dependency what all together request who need it: whoever came
/// first does not matter. Where nothing changed, it stays as it is written.
pub(super) fn agree(before: &Lockfile, plan: &mut Plan) {
    let (was, is) = (requests(before), requests(&plan.lock));
    let dependencies = plan.lock.skills().iter().filter(|entry| entry.dependency);
    let agreed = dependencies.filter_map(|entry| {
        let name = entry.name.as_str();
        let is_same = was.get(name) == is.get(name) && before.get(name) == Some(entry);
        let requested = is.get(name).and_then(together);
        // The neighbours of a skill in a repository are those of the state that was asked for.
        let is_open = requested.is_none() && entry.origin == OriginKind::Git;
        let is_agreed = is_same || is_open || requested == entry.requested;
        (!is_agreed).then(|| Locked {
            requested,
            ..entry.clone()
        })
    });
    let agreed: Vec<Locked> = agreed.collect();
    for entry in agreed {
        if plan.placed.get(&entry.name) == plan.lock.get(&entry.name) {
            plan.placed.put(entry.clone());
        }
        for change in &mut plan.changes {
            if let SkillChange::Added { to } | SkillChange::Changed { to, .. } = change
                && to.name == entry.name
            {
                to.requested.clone_from(&entry.requested);
            }
        }
        plan.lock.put(entry);
    }
}

/// What is requested of skills by those that need them, by their names.
fn requests(lock: &Lockfile) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut requests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for required in lock.skills().iter().flat_map(|entry| &entry.requires) {
        if let Some(requested) = required.requested.as_deref() {
            let of_name = requests.entry(required.name.as_str());
            of_name.or_default().insert(requested);
        }
    }
    requests
}
