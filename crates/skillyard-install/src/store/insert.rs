//! Skills that are put into the store.

use std::io::{self, Write as _};
use std::sync::Arc;

use rayon::prelude::*;
use skillyard_catalog::own_folder;

use super::pack::{self, Packed};
use super::{Store, StoreError, bundle};
use crate::staging::Staging;
use crate::tree::Tree;

/// Fewer skills get a pack each.
const FEWEST: usize = 16;
/// A larger skill gets a pack of its own, so that its end does not mean writing the others again.
const LARGEST_SKILL: u64 = 256 << 10;
/// Most bytes of the packs in one bundle.
const LARGEST: u64 = 8 << 20;
/// Every look for a skill looks into each bundle; beyond so many, new skills get a pack each.
const MOST: usize = 64;

/// Skills that the store does not have.
pub(crate) struct Absent<'t> {
    trees: Vec<&'t Arc<Tree>>,
    /// How many bundles the store has.
    bundles: usize,
    has_packs: bool,
}

impl Absent<'_> {
    /// Whether it has them all.
    pub(crate) fn is_nothing(&self) -> bool {
        self.trees.is_empty()
    }
}

/// Skills that lie beside the store, ready to be put into it.
#[must_use]
pub(crate) struct Insertion<'a> {
    store: &'a Store,
    staging: Staging,
    /// Their files, each with the folder that it belongs in.
    files: Vec<(&'static str, String)>,
}

impl Insertion<'_> {
    /// Puts them in.
    pub(crate) fn publish(self) -> Result<(), StoreError> {
        let mut files = self.files.iter();
        let put = files.try_for_each(|(folder, name)| self.store.put(folder, name, &self.staging));
        put.map_err(|source| self.store.failed(source))
    }
}

impl Store {
    /// Those skills that are not in, or not whole.
    pub(crate) fn absent<'t>(
        &self,
        trees: impl Iterator<Item = &'t Arc<Tree>>,
    ) -> Result<Absent<'t>, StoreError> {
        let bundles = self.bundles()?;
        let mut absent: Vec<&Arc<Tree>> = trees
            .filter(|tree| bundles.size(tree.digest()) != Some(pack::size(tree)))
            .collect();
        // Where there is no pack, none need be looked for.
        let has_packs = self.root.join("packs").symlink_metadata().is_ok();
        absent.retain(|tree| !(has_packs && self.has_pack_of(tree)));
        Ok(Absent {
            trees: absent,
            bundles: bundles.count(),
            has_packs,
        })
    }

    /// Writes skills that are not in beside the store, if there are any.
    pub(crate) fn prepare(&self, absent: Absent<'_>) -> Result<Option<Insertion<'_>>, StoreError> {
        if absent.is_nothing() {
            return Ok(None);
        }
        let Absent {
            trees,
            bundles,
            has_packs,
        } = absent;
        // One whose pack is damaged gets another in its place.
        let (damaged, absent): (Vec<_>, Vec<_>) = trees
            .into_iter()
            .partition(|tree| has_packs && self.pack(tree.digest()).symlink_metadata().is_ok());
        let (parts, mut single) = parted(&absent, bundles);
        single.extend(damaged);
        let staging = self.staging()?;
        let packs = single.par_iter().map(|tree| {
            let name = tree.digest().to_hex();
            pack::write(&staging.path().join(&name), |file| {
                pack::write_tree(tree, file)
            })?;
            Ok(("packs", name))
        });
        let files = packs.collect::<io::Result<Vec<_>>>().and_then(|mut files| {
            for part in &parts {
                files.push(("bundles", write_bundle(part, &staging)?));
            }
            Ok(files)
        });
        Ok(Some(Insertion {
            store: self,
            files: files.map_err(|source| self.failed(source))?,
            staging,
        }))
    }

    /// Makes a bundle of packs.
    pub(super) fn put_bundle(&self, packs: &[impl Packed], staging: &Staging) -> io::Result<()> {
        let name = write_bundle(packs, staging)?;
        self.put("bundles", &name, staging)
    }

    /// Puts a staged file into a folder of the store; whatever is there is the same, or damaged.
    fn put(&self, folder: &str, name: &str, staging: &Staging) -> io::Result<()> {
        use io::ErrorKind::{IsADirectory, NotFound};
        let staged = staging.path().join(name);
        let folder = self.root.join(folder);
        let place = folder.join(name);
        match std::fs::rename(&staged, &place).map_err(|error| error.kind()) {
            Err(NotFound) => own_folder::make(&folder)?,
            Err(IsADirectory) => std::fs::remove_dir_all(&place)?,
            Ok(()) => return Ok(()),
            Err(_) => {}
        }
        std::fs::rename(&staged, &place)
    }

    /// Whether a pack of the right size is there; a power cut may have left an empty one.
    fn has_pack_of(&self, tree: &Tree) -> bool {
        let metadata = self.pack(tree.digest()).symlink_metadata();
        metadata.is_ok_and(|found| found.is_file() && found.len() == pack::size(tree))
    }
}

/// Writes a bundle of packs, and tells its name.
fn write_bundle(packs: &[impl Packed], staging: &Staging) -> io::Result<String> {
    let (name, head) = bundle::head(packs)?;
    pack::write(&staging.path().join(&name), |file| {
        file.write_all(&head)?;
        packs.iter().try_for_each(|pack| pack.write(file))
    })?;
    Ok(name)
}

/// The skills that are put into one bundle each, and those that get a pack of their own.
fn parted<'a>(
    trees: &[&'a Arc<Tree>],
    bundles: usize,
) -> (Vec<Vec<&'a Arc<Tree>>>, Vec<&'a Arc<Tree>>) {
    // Only of a pack of its own can a skill share the blocks.
    let is_small = |tree: &&'a Arc<Tree>| {
        bundles < MOST && pack::size(tree) <= LARGEST_SKILL && !pack::has_large(tree)
    };
    let (small, mut single): (Vec<_>, Vec<_>) = trees.iter().copied().partition(is_small);
    let mut parts: Vec<Vec<&Arc<Tree>>> = Vec::new();
    let mut left = 0;
    for tree in small {
        let size = pack::size(tree);
        if let Some(part) = parts.last_mut().filter(|_| size <= left) {
            part.push(tree);
        } else {
            parts.push(vec![tree]);
            left = LARGEST;
        }
        left -= size;
    }
    parts.retain(|part| {
        let is_many = part.len() >= FEWEST;
        single.extend(part.iter().filter(|_| !is_many));
        is_many
    });
    (parts, single)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::bundle::tests::{skill, skills};

    #[test]
    fn only_many_small_skills_are_bundled() {
        let check = |skills: &[Arc<Tree>], bundles: usize, expected: (&[usize], usize)| {
            let (parts, single) = parted(&skills.iter().collect::<Vec<_>>(), bundles);
            let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
            assert_eq!((&lengths[..], single.len()), expected);
        };
        check(&skills(FEWEST - 1, 1), 0, (&[], FEWEST - 1));
        check(&skills(FEWEST, 1), 0, (&[FEWEST], 0));
        check(&skills(FEWEST, 1), MOST, (&[], FEWEST));
        for size in [66_000, 300_000] {
            let mut large = skills(FEWEST, 1);
            large.push(skill("x", size));
            check(&large, 0, (&[FEWEST], 1));
        }
        // Three bytes each, so that a hundred and some have as many as a bundle may.
        let many: Vec<Arc<Tree>> = (100..260)
            .map(|each| skill(&each.to_string(), 20_000))
            .collect();
        check(&many, 0, (&[139, 21], 0));
    }
}
