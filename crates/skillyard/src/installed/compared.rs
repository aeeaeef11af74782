//! Whether what lies in a folder is what was installed there.

use std::path::Path;

use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_format::package::Digest;
use skillyard_install::scope::Scope;
use skillyard_install::tree::Tree;
use skillyard_install::under_way;

use super::{Altered, Installed};

impl Installed {
    /// What was installed into a folder, or with the skill that it lies in, if the files there are
    /// something else now, and nobody is changing just that.
    pub(crate) fn altered(&self, folder: &Path, now: Digest) -> Option<Altered> {
        let altered = self.altered_or_changing(folder, now)?;
        let told = self.told(folder)?;
        let folder = told.around.as_deref().unwrap_or(folder);
        let is_changing = under_way::puts(&told.scope, folder, altered.now)
            // What was looked at before the change, compared with the lock after it.
            || digest_of(folder) == Some(altered.installed);
        (!is_changing).then_some(altered)
    }

    /// The same, also while somebody changes it.
    pub(crate) fn altered_or_changing(&self, folder: &Path, now: Digest) -> Option<Altered> {
        let told = self.told(folder)?;
        let installed = told.entry.digest;
        let (folder, now) = match &told.around {
            None => (folder, now),
            // What cannot be compared is another: a digest is never that of nothing.
            Some(around) => (
                around.as_path(),
                digest_of(around).unwrap_or_else(|| Digest::of(b"")),
            ),
        };
        let is_sound = installed == now || shown_as(&told.scope, installed, folder).contains(&now);
        (!is_sound).then_some(Altered { now, installed })
    }

    /// The digests that the files in a folder may have while they are what was installed into exactly
    /// this folder, that of the lock first.
    pub(crate) fn expected(&self, folder: &Path) -> Option<Vec<Digest>> {
        let told = self.told(folder).filter(|told| told.around.is_none())?;
        let installed = told.entry.digest;
        let shown = shown_as(&told.scope, installed, folder);
        Some(std::iter::once(installed).chain(shown).collect())
    }

    /// Whether the files in a folder are what was installed into exactly this folder.
    pub(crate) fn is_as_installed(&self, folder: &Path) -> bool {
        let expected = self.expected(folder);
        expected.is_some_and(|expected| {
            digest_of(folder).is_some_and(|digest| expected.contains(&digest))
        })
    }

    /// What was installed into exactly this folder where no executable bits are kept; nothing elsewhere.
    pub(crate) fn behind(&self, folder: &Path) -> Option<Tree> {
        let told = self.told(folder).filter(|told| told.around.is_none())?;
        told.scope.store().behind(told.entry.digest, folder)
    }
}

/// What a folder consists of.
pub(super) fn digest_of(folder: &Path) -> Option<Digest> {
    digest(&SkillRoot::open(folder).ok()?).ok()
}

/// The digests that a skill has in a folder where no executable bits are kept.
pub(super) fn shown_as(scope: &Scope, installed: Digest, folder: &Path) -> Vec<Digest> {
    scope.store().shown_as(installed, folder)
}
