//! Which skills may come from another source than they are installed from.

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile, reference};
use skillyard_install::plan::ConflictPolicy;
use skillyard_install::reference::{Host, Reference, ReferenceContext};

use crate::install::source_resolver::SourceResolver;
use crate::install::wanted::Difference;

/// Lets those be installed again whose source is the same in other words: as an older version wrote it,
/// or with the folder in front of the name.
pub(crate) fn let_stay(
    settlement: &mut ConflictPolicy,
    lock: &Lockfile,
    supply: &SourceResolver<'_>,
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
        let is_same =
            |entry: &Locked| supply.is_of(entry, &written) || lead_into_one(&entry.source, source);
        if entry.is_some_and(is_same) {
            settlement.let_move(name);
        }
    }
}

/// Whether one is the name of a skill in a source of the configuration, and the other one its folder
/// there.
fn lead_into_one(first: &str, second: &str) -> bool {
    let read = |text| Reference::parse(text, &ReferenceContext::default()).ok();
    let ((Some(Reference::Registry(named)), Some(Reference::Hosted(hosted)))
    | (Some(Reference::Hosted(hosted)), Some(Reference::Registry(named)))) =
        (read(first), read(second))
    else {
        return false;
    };
    let is_same = |alias: &String| hosted.host == Host::Alias(alias.clone());
    named.alias.as_ref().is_some_and(is_same) && hosted.tag_name() == named.name.to_string()
}

/// Lets those come from elsewhere that `skills.toml` wants from there, and those that are only
/// there for others, if all who need them were resolved again: then these agree on the source.
pub(crate) fn let_move(
    settlement: &mut ConflictPolicy,
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
