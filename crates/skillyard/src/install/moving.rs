//! Which skills may come from another source than they are installed from.

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Lockfile, reference};
use skillyard_install::plan::Settlement;

use super::supply::Supply;
use super::wanted::Difference;

/// Lets those be installed again whose source an older version wrote as a whole path, and this one
/// does not: it is the same.
pub(crate) fn let_stay(
    settlement: &mut Settlement,
    lock: &Lockfile,
    supply: &Supply<'_>,
    needed: &[Needed],
) {
    for Candidate {
        name,
        source,
        requested,
        ..
    } in needed.iter().map(|each| &each.candidate)
    {
        let written = reference(source, requested.as_deref());
        let entry = lock.get(name).filter(|entry| entry.source != *source);
        if entry.is_some_and(|entry| supply.is_of(entry, &written)) {
            settlement.let_move(name);
        }
    }
}

/// Lets those come from elsewhere that `skills.toml` wants from there, and those that are only
/// there for others, if all who need them were resolved again: then these agree on the source.
pub(crate) fn let_move(
    settlement: &mut Settlement,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
) {
    let is_resolved = |name: &str| {
        let mut resolved = needed.iter().filter(|each| !each.stays);
        resolved.any(|each| each.candidate.name == name)
    };
    for each in needed {
        let name = each.candidate.name.as_str();
        let mut dependants = lock
            .skills()
            .iter()
            .filter(|entry| entry.needs().any(|needs| needs == name));
        let is_for_others = lock.get(name).is_some_and(|entry| entry.dependency)
            && dependants.all(|entry| is_resolved(&entry.name));
        if is_for_others || difference.reference(name).is_some() {
            settlement.let_move(name);
        }
    }
}
