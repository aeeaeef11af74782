//! What is new, put beside the place it will take.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use skillyard_catalog::modes;
use skillyard_catalog::private_dir::STAGING_PREFIX;
use skillyard_format::Digest;

use super::inside::to_make;
use super::{MAX_SYNCED_FILES, Transaction, TransactionError, Trees, disk};
use crate::any_path::AnyPath;
use crate::change_audit::unique;
use crate::exchange::{is_mounted_in, number_of};
use crate::existing::{ExistingEntry, ObservedEntry, look};
use crate::journal::{Move, MoveContent};
use crate::owner::Owner;
use crate::plan::{Plan, PlanStep};
use crate::store::Edits;
use crate::tree::{Tree, WriteAccess};

/// Where the skills of one target wait.
#[derive(Debug)]
pub(super) struct TargetStage {
    /// The target, with no link in its path.
    folder: PathBuf,
    /// The hidden folder beside it, or in it.
    pub(super) path: AnyPath,
    /// Whether executable bits are kept there.
    keeps_modes: bool,
    /// The target and the folders it lies in, as far as they were not there, the innermost first.
    pub(super) made: Vec<PathBuf>,
    /// Who has the folder, where that is not root.
    owner: Option<Owner>,
}

impl TargetStage {
    /// Removes the folders that were made for it, as long as nobody put anything into them.
    pub(super) fn unmake(&self) {
        for folder in &self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }

    /// The digest that a tree has where it was written.
    fn shown(&self, tree: &Tree, place: &Path) -> Digest {
        let found = (!self.keeps_modes).then(|| look(place));
        match found {
            Some(ExistingEntry::Folder { digest, .. }) if tree.alike().contains(&digest) => digest,
            _ => tree.digest(),
        }
    }
}

impl Transaction<'_> {
    /// A hidden folder beside each folder of skills that changes, or in it.
    pub(super) fn stages(
        &self,
        plan: &Plan,
    ) -> Result<BTreeMap<String, TargetStage>, TransactionError> {
        let mut stages = BTreeMap::new();
        let name = format!("{STAGING_PREFIX}{}", unique());
        for step in &plan.steps {
            let (target, _) = step.place();
            if stages.contains_key(target) {
                continue;
            }
            // Before anything is made: a link must not lead even an empty folder outside.
            self.check_inside(target)?;
            let folder = to_make(self.scope, target);
            let failed = |source| disk(&folder, source);
            let missing = folder.ancestors().take_while(|part| !part.exists());
            let made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
            let owner = Owner::around(&folder);
            std::fs::create_dir_all(&folder).map_err(failed)?;
            if let Some(owner) = owner {
                for each in &made {
                    owner.take_folder(each);
                }
            }
            let folder = self.scope.target(target);
            let folder = folder.canonicalize().map_err(failed)?;
            self.check_inside(target)?;
            // Two targets may lie in the same folder.
            let path = room(&folder)
                .join(format!("{name}-{}", stages.len()))
                .into();
            let stage = TargetStage {
                keeps_modes: modes::are_kept(&folder),
                folder,
                path,
                made,
                owner,
            };
            stages.insert(target.to_owned(), stage);
        }
        Ok(stages)
    }

    /// Puts everything new beside its place.
    pub(super) fn stage(
        &self,
        plan: &Plan,
        stages: &BTreeMap<String, TargetStage>,
        trees: &Trees,
    ) -> Result<Vec<Move>, TransactionError> {
        for stage in stages.values() {
            // A user can do something about the folder around the hidden one, so errors name that.
            let room = stage.path.parent().unwrap_or(&stage.path);
            std::fs::create_dir(&stage.path).map_err(|source| disk(room, source))?;
            if let Some(owner) = stage.owner {
                owner.take_folder(&stage.path);
            }
        }
        let files = trees.values().map(|tree| tree.files().len());
        let is_synced = files.sum::<usize>() * stages.len() <= MAX_SYNCED_FILES;
        let steps = plan.steps.par_iter();
        steps
            .map(|step| self.stage_step(step, plan, stages, trees, is_synced))
            .collect()
    }

    fn stage_step(
        &self,
        step: &PlanStep,
        plan: &Plan,
        stages: &BTreeMap<String, TargetStage>,
        trees: &Trees,
        is_synced: bool,
    ) -> Result<Move, TransactionError> {
        let (target, name) = step.place();
        let stage = &stages[target];
        let seen = plan.seen.get(&(target.to_owned(), name.to_owned()));
        let seen = seen.cloned().unwrap_or(ObservedEntry::Nothing);
        // No skill is called so, and the folder is made only when it is needed.
        let old = stage.path.join(".old").join(name).into();
        let place = stage.folder.join(name).into();
        let PlanStep::Put { digest, linked, .. } = step else {
            return Ok(Move {
                place,
                new: None,
                old,
                seen: Some(seen),
                number: None,
            });
        };
        let new = stage.path.join(name);
        let tree = match trees.get(digest) {
            Some(tree) => Arc::clone(tree),
            None => Arc::new(self.store.read(*digest)?),
        };
        let content = if *linked {
            let mut given_up = plan.given_up.iter();
            let edits = if given_up.any(|each| each.name == name) {
                Edits::GivenUp
            } else {
                Edits::Kept
            };
            let path = self.store.make_folder(&tree, edits)?;
            std::os::unix::fs::symlink(&path, &new).map_err(|source| disk(&new, source))?;
            MoveContent::Link(path.into())
        } else {
            tree.write_for(stage.owner, &new, WriteAccess::Editable)?;
            if is_synced {
                tree.sync(&new).map_err(|source| disk(&new, source))?;
            }
            MoveContent::Folder(stage.shown(&tree, &new))
        };
        // Where nothing is, nothing can come out and lie there in its stead.
        let number = match seen {
            ObservedEntry::Nothing => None,
            _ => number_of(&new),
        };
        Ok(Move {
            place,
            new: Some((new.into(), content)),
            old,
            seen: Some(seen),
            number,
        })
    }
}

/// Where skills wait that are going into a folder: beside it, where no agent looks, unless something
/// is mounted there, into which nothing can be moved in one step.
fn room(folder: &Path) -> &Path {
    match folder.parent() {
        Some(beside) if !is_mounted_in(beside, folder) => beside,
        _ => folder,
    }
}
