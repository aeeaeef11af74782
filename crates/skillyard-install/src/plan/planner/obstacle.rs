//! What is in the way of a skill: it would come from elsewhere, or what lies in its place is not
//! ours to replace or remove.

use std::path::Path;

use skillyard_format::Digest;

use super::Planner;
use crate::lockfile::Locked;
use crate::plan::{ConflictReason, ExistingEntry, LinkTarget};
use crate::scope::ScopeKind;

/// What keeps everybody from a place, and gives way to nothing.
pub(super) fn unreachable(occupant: &ExistingEntry) -> Option<ConflictReason> {
    match occupant {
        ExistingEntry::Blocked(blocking) => Some(ConflictReason::Blocked(blocking.clone())),
        ExistingEntry::Dangling(link) => Some(ConflictReason::Dangling(link.clone())),
        ExistingEntry::Looping(link) => Some(ConflictReason::Looping(link.clone())),
        ExistingEntry::Closed(folder) => Some(ConflictReason::Closed(folder.clone())),
        _ => None,
    }
}

impl Planner<'_> {
    /// That a skill would come from elsewhere than it is installed from, and may not.
    pub(super) fn elsewhere(&self, from: &Locked, to: &Locked) -> Option<ConflictReason> {
        if from.source != to.source {
            let is_moved = from.digest != to.digest && !self.settlement.may_move(&to.name);
            return is_moved.then(|| ConflictReason::OtherSource(from.source.clone()));
        }
        let is_other = from.digest != to.digest || from.version != to.version;
        let locked = from.other_registry(to.origin, to.url.as_deref());
        let locked = locked.filter(|_| is_other && !self.settlement.replaces(&to.name))?;
        Some(ConflictReason::OtherRegistry {
            locked: locked.to_owned(),
            asked: to.url.clone().unwrap_or_else(|| to.source.clone()),
        })
    }

    /// What forbids to replace or remove what is there.
    pub(super) fn obstacle(
        &self,
        occupant: &ExistingEntry,
        name: &str,
        target: &str,
    ) -> Option<ConflictReason> {
        // The very bytes that are or were pinned, also put there by hand or by a checkout.
        let is_ours = |entry: &Locked| {
            self.is(occupant, target, entry)
                || self.is_our_link(occupant, entry)
                || self.is_link_to_copy(occupant, name, target, &entry.targets)
                // Programs that used it left something in it, which is no loss.
                || matches!(occupant, ExistingEntry::Folder { tidy, .. } if self.has_bytes(*tidy, target, entry))
        };
        // Who edits a skill that is linked edits what is in the store.
        let is_edited = |entry: &Locked| match occupant {
            ExistingEntry::Link(path) => {
                self.sight.link_target(path, entry.digest) == LinkTarget::Edited
            }
            _ => false,
        };
        if self.before.entries(name).any(is_edited) {
            return Some(ConflictReason::Edited(Vec::new()));
        }
        let is_nothing =
            matches!(occupant, ExistingEntry::Nothing) || unreachable(occupant).is_some();
        if is_nothing || self.before.entries(name).any(is_ours) {
            return None;
        }
        if let Some(kind) = self.neighbour(occupant, name, target) {
            return Some(ConflictReason::OtherScope(kind));
        }
        let is_target = |entry: &Locked| entry.targets.iter().any(|each| each == target);
        let is_ours = self.before.entries(name).any(is_target);
        Some(match occupant {
            ExistingEntry::Repository => ConflictReason::Repository,
            ExistingEntry::Link(path) if is_ours => ConflictReason::Link(path.clone()),
            ExistingEntry::Other(reason) if is_ours => ConflictReason::Unreadable(reason.clone()),
            // An older state that was put there before the record of it was lost. With a record it
            // is an edit, which somebody installed from here.
            ExistingEntry::Folder { tidy, .. }
                if is_ours && !self.before.is_recorded && self.sight.is_stored(*tidy) =>
            {
                return None;
            }
            _ if is_ours && !self.before.is_recorded => ConflictReason::Unrecorded,
            // Which files these are is found out by who can look at them.
            _ if is_ours => ConflictReason::Edited(Vec::new()),
            ExistingEntry::Link(path) => ConflictReason::Link(path.clone()),
            _ => ConflictReason::Foreign,
        })
    }

    /// The other scope that has exactly what is there in this place.
    pub(super) fn neighbour(
        &self,
        occupant: &ExistingEntry,
        name: &str,
        target: &str,
    ) -> Option<ScopeKind> {
        self.before.neighbours.iter().find_map(|neighbour| {
            let entry = neighbour.lock.get(name)?;
            let scope = &neighbour.scope;
            let mut targets = entry.targets.iter();
            let is_it = self.is(occupant, target, entry)
                && targets.any(|each| self.sight.is_shared(target, scope, each));
            is_it.then_some(scope.kind)
        })
    }

    /// Whether what is there is exactly the entry.
    pub(super) fn is(&self, occupant: &ExistingEntry, target: &str, entry: &Locked) -> bool {
        match occupant {
            ExistingEntry::Folder { digest, .. } => {
                !entry.linked && self.has_bytes(*digest, target, entry)
            }
            ExistingEntry::Link(path) => {
                entry.linked && self.sight.link_target(path, entry.digest) == LinkTarget::Sound
            }
            ExistingEntry::Nothing
            | ExistingEntry::Repository
            | ExistingEntry::Other(_)
            | ExistingEntry::Blocked(_)
            | ExistingEntry::Dangling(_)
            | ExistingEntry::Looping(_)
            | ExistingEntry::Closed(_) => false,
        }
    }

    /// Whether what somebody put there is exactly the entry, and counts as installed from now on.
    pub(super) fn is_taken_over(
        &self,
        occupant: &ExistingEntry,
        target: &str,
        entry: &Locked,
    ) -> bool {
        let is_known = |each: &String| each == target || self.sight.is_same(each, target);
        matches!(occupant, ExistingEntry::Folder { .. })
            && self.is(occupant, target, entry)
            && !self.targets(&entry.name).into_iter().any(is_known)
            && self.neighbour(occupant, &entry.name, target).is_none()
    }

    /// Whether it is a link to the copy of the skill in another of its targets, as other tools make
    /// them: that is as good as a copy, and nobody loses anything with it.
    pub(super) fn is_link_to_copy(
        &self,
        occupant: &ExistingEntry,
        name: &str,
        target: &str,
        targets: &[String],
    ) -> bool {
        let ExistingEntry::Link(link) = occupant else {
            return false;
        };
        let leads = |from: &str, link: &Path| {
            let mut others = targets.iter().filter(|other| *other != from);
            others.find(|other| self.sight.leads_to(from, name, link, other))
        };
        // Links that lead to each other lead to no copy.
        let is_copy = |other: &String| match self.sight.occupant(other, name) {
            ExistingEntry::Link(back) => leads(other, &back).is_none(),
            _ => true,
        };
        leads(target, link).is_some_and(is_copy)
    }

    /// Whether what lies in a target are the bytes of the entry.
    fn has_bytes(&self, found: Digest, target: &str, entry: &Locked) -> bool {
        let is_shown_as = || {
            let sight = self.sight;
            sight.is_shown_as(target, &entry.name, entry.digest, found)
        };
        found == entry.digest || is_shown_as()
    }

    /// Whether a skill comes from the very folder that it is to be in. Behind a link its source is
    /// safe.
    pub(super) fn is_source(&self, occupant: &ExistingEntry, target: &str, entry: &Locked) -> bool {
        !matches!(occupant, ExistingEntry::Nothing | ExistingEntry::Link(_))
            && self.sight.is_source(target, entry)
    }

    /// Whether the lock has these bytes of a skill.
    pub(super) fn is_locked(&self, to: &Locked) -> bool {
        let locked = self.before.lock.get(&to.name);
        locked.is_some_and(|from| from.digest == to.digest)
    }

    /// Whether the lock has a skill from this source in this folder.
    pub(super) fn is_known(&self, target: &str, to: &Locked) -> bool {
        let locked = self.before.lock.get(&to.name);
        locked.is_some_and(|from| {
            from.source == to.source && from.targets.iter().any(|each| each == target)
        })
    }

    /// Whether it is a link of ours, whatever became of the store.
    fn is_our_link(&self, occupant: &ExistingEntry, entry: &Locked) -> bool {
        let ExistingEntry::Link(path) = occupant else {
            return false;
        };
        let hex = entry.digest.to_hex();
        // A colleague's store, or ours in another place, has the same names for the same bytes.
        let in_a_store = format!("store/sha256/{}/{}", &hex[..2], &hex[2..]);
        path.ends_with(in_a_store)
            || entry.linked && self.sight.link_target(path, entry.digest) != LinkTarget::Elsewhere
    }
}
