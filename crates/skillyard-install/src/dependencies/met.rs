//! Needs that an installed skill meets, although another source was named for it.
//!
//! Whoever writes a skill can have a copy of a popular one, byte for byte. That must not make it
//! theirs: by its source it is trusted, and from there it is updated.

use super::demand::Demand;
use super::known::KnownRequests;
use crate::candidate::Candidate;
use crate::lockfile::Locked;

impl KnownRequests<'_> {
    /// The installed skill that has the same bytes from another source, and stays from there.
    ///
    /// What is only there for others comes from elsewhere once all of them come anew and none of them
    /// wants it from where it is.
    pub(super) fn met<'d>(
        &self,
        candidate: &Candidate,
        mut wanted: impl Iterator<Item = &'d Demand>,
        is_anew: impl Fn(&str) -> bool,
    ) -> Option<&Locked> {
        let entry = self.lock.get(&candidate.name).filter(|entry| {
            entry.source != candidate.source && entry.digest == candidate.tree.digest()
        })?;
        let mut dependants = self.lock.skills().iter();
        let moves = entry.dependency
            && dependants
                .all(|each| is_anew(&each.name) || each.needs().all(|name| name != entry.name))
            && wanted.all(|demand| demand.source != entry.source);
        (!moves).then_some(entry)
    }
}

/// The same bytes as they are locked.
pub(super) fn as_locked(mut candidate: Candidate, entry: &Locked) -> Candidate {
    candidate.source.clone_from(&entry.source);
    candidate.requested.clone_from(&entry.requested);
    candidate.origin.kind = entry.origin;
    let url = entry.url.as_ref().unwrap_or(&entry.source);
    candidate.origin.url.clone_from(url);
    candidate.origin.commit.clone_from(&entry.commit);
    candidate.origin.version.clone_from(&entry.version);
    candidate
}
