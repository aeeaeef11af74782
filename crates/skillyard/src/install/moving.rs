//! Which skills may come from another source than they are installed from.

use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::Lockfile;
use skillyard_install::plan::Settlement;

use super::wanted::Difference;

/// Lets those come from elsewhere that `skills.toml` wants from there, and those that are only
/// there for others, if all who need them were resolved again: then these agree on the source.
pub(crate) fn let_move(
    settlement: &mut Settlement,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
) {
    let is_resolved = |name: &str| needed.iter().any(|each| each.candidate.name == name);
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
