//! Skills in folders of which git did not say what it ignores there.

use std::sync::Arc;

use skillyard_install::candidate::Candidate;
use skillyard_install::lockfile::{self, Locked};
use skillyard_install::tree::{Tree, TreeLimits};

use super::Supply;
use crate::error::CommandError;

impl Supply<'_> {
    /// Skills with what is locked of them already and still lies there.
    pub(super) fn with_what_is_locked(
        &self,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, CommandError> {
        if candidates.iter().all(|each| each.tree.doubt().is_none()) {
            return Ok(candidates);
        }
        let lock = self.place.lock()?;
        let candidates = candidates.into_iter().map(|candidate| {
            let reference = lockfile::reference(&candidate.source, None);
            let mut entries = lock.skills().iter();
            match entries.find(|entry| self.is_of(entry, &reference)) {
                Some(entry) => self.with_locked(candidate, entry),
                None => Ok(candidate),
            }
        });
        candidates.collect()
    }

    /// The same for one; what is locked must not go from it only because git did not answer.
    pub(super) fn with_locked(
        &self,
        candidate: Candidate,
        entry: &Locked,
    ) -> Result<Candidate, CommandError> {
        let Some(doubt) = candidate.tree.doubt() else {
            return Ok(candidate);
        };
        let found = candidate.as_locked_before(entry, || self.at_hand(entry));
        found.ok_or_else(|| CommandError::Unasked {
            folder: doubt.folder.clone(),
            paths: candidate.tree.ignored().to_vec(),
            source: Arc::clone(&doubt.unasked),
        })
    }

    /// The files that an entry of the lock stands for, if the store or a folder of skills has them.
    fn at_hand(&self, entry: &Locked) -> Option<Tree> {
        let stored = self.place.store.read(entry.digest).ok();
        stored.or_else(|| {
            let targets = entry.targets.iter();
            let mut trees = targets.filter_map(|target| {
                let folder = self.place.scope.target(target).join(&entry.name);
                Some(Tree::read(&folder, &TreeLimits::HERE).ok()?.tidied())
            });
            trees.find(|tree| tree.digest() == entry.digest)
        })
    }
}
