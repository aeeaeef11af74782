//! How a scope is now, and what has to change in it.

use std::path::{Path, PathBuf};

use skillyard_catalog::modes;
use skillyard_catalog::path_probe::resolved;
use skillyard_format::Digest;

use crate::existing::TargetListings;
use crate::git::Git;
use crate::lockfile::{Locked, LockfileError};
use crate::plan::{
    BlockingFile, ConflictPolicy, ConflictReason, DesiredState, ExistingEntry, InstalledState,
    LinkTarget, Plan, TargetFs, plan,
};
use crate::records::Records;
use crate::reference::Reference;
use crate::scope::Scope;
use crate::store::Store;
use crate::target;
use crate::tree::{LineEnds, Tree, TreeLimits};

use super::created_folders::noted;

/// How a scope is now.
pub fn before(scope: &Scope, records: &Records) -> Result<InstalledState, LockfileError> {
    let lock = records.lock(scope)?;
    let placed = records.placed(scope);
    let is_recorded = placed.is_some() || scope.placed_file().is_none();
    let mut placed = placed.unwrap_or_else(|| lock.clone());
    // The lock changed while a variable named other folders, which have what it said before.
    for mut entry in scope.recorded() {
        let locked = lock.get(&entry.name);
        if locked.is_some_and(|locked| locked.digest == entry.digest) {
            continue;
        }
        let is_beside = |each: &&Locked| locked != Some(*each) && each.digest == entry.digest;
        if let Some(beside) = placed.get(&entry.name).filter(is_beside) {
            entry.targets.extend(beside.targets.iter().cloned());
        }
        placed.put(entry);
    }
    Ok(InstalledState {
        is_recorded,
        placed,
        lock,
        found: noted(&scope.found_file()),
        neighbours: records.neighbours(),
    })
}

/// What has to change in a scope, without waiting for anybody.
pub fn plan_in(
    scope: &Scope,
    store: &Store,
    before: &InstalledState,
    wish: &DesiredState,
    settlement: &ConflictPolicy,
) -> Plan {
    let here = ScopeFs {
        scope,
        store,
        places: TargetListings::default(),
    };
    let mut plan = plan(before, wish, settlement, &here);
    let held = plan.conflicts.iter_mut().chain(&mut plan.skipped);
    for each in held.chain(&mut plan.given_up) {
        each.folder = scope.moved(&each.target).map(Path::to_owned);
        if let ConflictReason::Edited(_) | ConflictReason::Unrecorded = each.obstacle {
            let place = scope.target(&each.target).join(&each.name);
            look_closer(&mut each.obstacle, &place, store, before, &each.name);
        }
    }
    let seen = plan.steps.iter().map(|step| {
        let (target, name) = step.place();
        let place = scope.target(target).join(name);
        (
            (target.to_owned(), name.to_owned()),
            here.places.seen(&place),
        )
    });
    plan.seen = seen.collect();
    plan
}

/// Finds out which files of an installed skill are other than they were, as far as that can be told,
/// and whether only their lines end otherwise.
fn look_closer(
    obstacle: &mut ConflictReason,
    place: &Path,
    store: &Store,
    before: &InstalledState,
    name: &str,
) {
    let Ok(now) = Tree::read_any_names(place, &TreeLimits::HERE) else {
        return;
    };
    let now = now.tidied_in(place);
    let was = before.installed(name).map(|digest| store.read(digest));
    let Some(Ok(was)) = was else {
        let plain = now.with_plain_line_ends().digest();
        if before.entries(name).any(|entry| entry.digest == plain) {
            *obstacle = ConflictReason::LineEnds(LineEnds::Crlf);
        }
        return;
    };
    let now = told(now, &was, place);
    if now.differs_in_line_ends(&was) {
        *obstacle = ConflictReason::LineEnds(now.line_ends());
    } else if let ConflictReason::Edited(files) = obstacle {
        *files = was.difference(&now);
    }
}

/// What lies in a place, with the executable bits of what it should be where none are kept.
fn told(found: Tree, whole: &Tree, place: &Path) -> Tree {
    if modes::are_kept(place) {
        found
    } else {
        found.with_modes_of(whole)
    }
}

/// The folders of a scope and the store.
struct ScopeFs<'a> {
    scope: &'a Scope,
    store: &'a Store,
    places: TargetListings,
}

impl TargetFs for ScopeFs<'_> {
    fn occupant(&self, target: &str, name: &str) -> ExistingEntry {
        let folder = self.scope.target(target);
        let found = self.places.look(folder.clone(), name);
        match found {
            // Agents can share a folder through a link, also one that is still to be made.
            ExistingEntry::Dangling(_)
                if target::roots(&resolved(&folder)).contains(&resolved(&self.scope.root)) =>
            {
                ExistingEntry::Nothing
            }
            ExistingEntry::Blocked(BlockingFile { file, link }) => {
                ExistingEntry::Blocked(BlockingFile {
                    file: relative(&file, &self.scope.root),
                    link,
                })
            }
            ExistingEntry::Dangling(link) => {
                ExistingEntry::Dangling(relative(&link, &self.scope.root))
            }
            ExistingEntry::Looping(link) => {
                ExistingEntry::Looping(relative(&link, &self.scope.root))
            }
            ExistingEntry::Closed(folder) => {
                ExistingEntry::Closed(relative(&folder, &self.scope.root))
            }
            found => found,
        }
    }

    fn leads_to(&self, target: &str, name: &str, link: &Path, other: &str) -> bool {
        let resolved = |folder: &Path| folder.canonicalize().ok();
        let to = self.scope.target(target).join(link);
        let other = resolved(&self.scope.target(other));
        to.file_name().is_some_and(|last| last == name)
            && other.is_some()
            && to.parent().and_then(resolved) == other
    }

    fn link_target(&self, path: &Path, digest: Digest) -> LinkTarget {
        if path != self.store.folder(digest) {
            return LinkTarget::Elsewhere;
        }
        match self.store.read_folder(digest) {
            Ok(_) => LinkTarget::Sound,
            Err(_) if self.store.is_edited(digest) => LinkTarget::Edited,
            Err(_) => LinkTarget::Damaged,
        }
    }

    fn is_same(&self, one: &str, other: &str) -> bool {
        let whole = |target: &str| self.scope.target(target).canonicalize().ok();
        whole(one).is_some_and(|one| whole(other) == Some(one))
    }

    fn is_shared(&self, target: &str, other: &Scope, others: &str) -> bool {
        let (own, others) = (self.scope.target(target), other.target(others));
        own == others || resolved(&own) == resolved(&others)
    }

    fn is_tracked(&self, target: &str, name: &str) -> bool {
        let git = Git::new(Path::new("git"));
        git.tracks(&self.scope.target(target).join(name))
    }

    fn is_stored(&self, digest: Digest) -> bool {
        self.store.read(digest).is_ok()
    }

    fn edited_folder(&self, digest: Digest) -> Option<PathBuf> {
        let is_edited = self.store.is_edited(digest);
        is_edited.then(|| self.store.folder(digest))
    }

    fn is_source(&self, target: &str, entry: &Locked) -> bool {
        // In the lock a folder has no link in its path, and may be below the project's root.
        let folder = || self.scope.root.join(&entry.source).canonicalize().ok();
        let place = || self.scope.target(target).join(&entry.name);
        Reference::is_local(&entry.source)
            && folder()
                .is_some_and(|folder| place().canonicalize().is_ok_and(|place| place == folder))
    }

    fn is_shown_as(&self, target: &str, name: &str, digest: Digest, shown: Digest) -> bool {
        let place = self.scope.target(target).join(name);
        self.store.shown_as(digest, &place).contains(&shown)
    }

    fn has_all_of(&self, target: &str, name: &str, digest: Digest) -> bool {
        let place = self.scope.target(target).join(name);
        let there = Tree::read_any_names(&place, &TreeLimits::HERE);
        let both = there.ok().zip(self.store.read(digest).ok());
        both.is_some_and(|(there, whole)| {
            let there = told(there, &whole, &place);
            let mut files = whole.files().iter();
            files.all(|file| there.get(&file.path) == Some(file))
        })
    }
}

/// A path below `root` as it is written there.
fn relative(path: &Path, root: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_owned()
}
