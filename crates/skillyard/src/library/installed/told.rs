//! Which entry of which lock decides about a folder.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::scope::{Scope, ScopeKind};

use crate::library::installed::elsewhere::{Level, SkillsFolder};
use crate::library::installed::{Installed, is_from_strangers, provenance_of};

/// What a lock says of a folder, and whose lock it is.
pub(super) struct LockEntry<'a> {
    pub(super) scope: Cow<'a, Scope>,
    pub(super) entry: Cow<'a, Locked>,
    /// The skill that the folder lies in, where it is not itself one that was installed.
    pub(super) around: Option<PathBuf>,
}

impl Installed {
    /// What the nearest lock says of a folder, or of the skill that it lies in.
    pub(super) fn told(&self, folder: &Path) -> Option<LockEntry<'_>> {
        let itself = self.paths(folder).find_map(|folder| {
            let around = self.around(&folder);
            self.named(&folder, around.as_ref().map_or(&[], |each| &each.levels))
        });
        itself.or_else(|| self.paths(folder).find_map(|folder| self.inside(&folder)))
    }

    /// What a lock says of exactly this folder.
    fn named(&self, folder: &Path, levels: &[Arc<Level>]) -> Option<LockEntry<'_>> {
        let borrowed = |(scope, entry)| LockEntry {
            scope: Cow::Borrowed(scope),
            entry: Cow::Borrowed(entry),
            around: None,
        };
        let target = |scope: &Scope, target: &str| Some(scope.target(target));
        let here = find(&self.locks, folder, target);
        // With a link a project can name the folders of another one as its own, which knows better.
        let is_own = |(scope, _): &(&Scope, _)| {
            scope.kind == ScopeKind::User || folder.starts_with(&scope.root)
        };
        let elsewhere = || {
            levels.iter().find_map(|level| {
                let (scope, entry) = find(level.records().ok()?, folder, target)?;
                Some(LockEntry {
                    scope: Cow::Owned(scope.clone()),
                    entry: Cow::Owned(entry.clone()),
                    around: None,
                })
            })
        };
        // Where a variable puts a folder elsewhere now, what was put into the usual one is there still.
        let before = || find(&self.locks, folder, Scope::usual);
        here.filter(is_own)
            .map(borrowed)
            .or_else(elsewhere)
            .or_else(|| here.or_else(before).map(borrowed))
    }

    /// What a lock says of the nearest skill around a folder: the folder was installed with it. Also
    /// where only the store is left of the way there.
    fn inside(&self, folder: &Path) -> Option<LockEntry<'_>> {
        let above = folder.parent()?;
        let around = self.around(folder);
        let whole = match &around {
            Some(around) => around.whole.clone(),
            None => above.canonicalize().ok(),
        };
        let whole = whole.filter(|whole| whole != above);
        let folders = above.ancestors();
        let mut folders = folders.chain(whole.iter().flat_map(|whole| whole.ancestors()));
        let named = folders.find_map(|each| {
            let levels = around.as_ref().map_or(&[][..], |around| around.above(each));
            let told = self.named(each, levels)?;
            let around = Some(each.to_owned());
            Some(LockEntry { around, ..told })
        });
        named.or_else(|| self.stored(folder))
    }

    /// What the locks say of a folder of the store, or of one in it.
    fn stored(&self, folder: &Path) -> Option<LockEntry<'_>> {
        let (stored, digest) = self.store.as_ref()?.folder_around(folder)?;
        let all = self.locks.iter();
        let all = all.flat_map(|(scope, lock)| lock.skills().iter().map(move |each| (scope, each)));
        // Where the same bytes came from several places, the furthest counts; what a project says
        // of strangers' does not come before what the user's lock says of them.
        let same = all.filter(|(_, entry)| entry.digest == digest);
        let (scope, entry) = same.max_by_key(|(scope, entry)| {
            let is_own = scope.kind == ScopeKind::User;
            (is_from_strangers(&provenance_of(entry)), is_own)
        })?;
        Some(LockEntry {
            scope: Cow::Borrowed(scope),
            entry: Cow::Borrowed(entry),
            around: (stored != folder).then_some(stored),
        })
    }

    /// Where a folder lies: as it is named, and behind the link that it is.
    pub(super) fn paths<'a>(
        &self,
        folder: &'a Path,
    ) -> impl Iterator<Item = Cow<'a, Path>> + use<'a> {
        let named = if folder.is_absolute() {
            Cow::Borrowed(folder)
        } else {
            Cow::Owned(self.current.join(folder).components().collect())
        };
        let is_plain = named.file_name().is_some()
            && self.around(&named).is_none_or(|each| !each.is_link(&named));
        let behind = (!is_plain).then(|| named.canonicalize().ok()).flatten();
        std::iter::once(named).chain(behind.map(Cow::Owned))
    }

    /// What others may know of the folder that a skill's folder lies in.
    pub(super) fn around(&self, folder: &Path) -> Option<Arc<SkillsFolder>> {
        let is_vouched = self.vouched.iter().any(|each| folder.starts_with(each));
        let elsewhere = self.elsewhere.as_ref().filter(|_| !is_vouched)?;
        Some(elsewhere.folder(folder.parent()?))
    }
}

/// The entry for a folder, and whose it is; `place` tells where the targets of a scope are.
fn find<'a>(
    locks: &'a [(Scope, Lockfile)],
    folder: &Path,
    place: impl Fn(&Scope, &str) -> Option<PathBuf>,
) -> Option<(&'a Scope, &'a Locked)> {
    let name = folder.file_name()?.to_str()?;
    locks.iter().find_map(|(scope, lock)| {
        let entry = lock.get(name)?;
        let mut targets = entry.targets.iter();
        let is_it = |target: &String| {
            place(scope, target).is_some_and(|place| same(&place.join(name), folder))
        };
        targets.any(is_it).then_some((scope, entry))
    })
}

fn same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| -> Option<PathBuf> {
        // The folder itself may be a link to the store; only what leads to it is resolved.
        Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
    };
    one == other || whole(one).is_some_and(|one| whole(other) == Some(one))
}
