//! Changing a scope: all of a plan, or nothing of it, whatever happens in between.
//!
//! The new skills are staged beside the folders they go to, on the same file system, and
//! made durable. Then the journal is committed, and from there on the change will happen:
//! each skill changes places with its predecessor in one step, the lock follows, and what
//! is left over is removed. A process that ends in between leaves the rest to the next one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use skillyard_format::Digest;

use crate::flock::{Flock, Hold};
use crate::journal::{Commit, Content, Journal, Move, Progress, throw_away};
use crate::lockfile::{Lockfile, LockfileError};
use crate::manifest::{Manifest, ManifestError};
use crate::occupant::look;
use crate::plan::{LinkTarget, Plan, Settlement, Step, Wish, plan};
use crate::scope::{Scope, ScopeKind};
use crate::store::{Store, StoreError};
use crate::tree::{Access, Tree, TreeError};
use crate::write::Draft;

/// Skills whose bytes are already at hand.
pub type Trees = BTreeMap<Digest, Arc<Tree>>;

/// A scope that nobody else changes meanwhile.
#[derive(Debug)]
pub struct Transaction<'a> {
    scope: &'a Scope,
    store: &'a Store,
    lock: Lockfile,
    manifest: Option<Manifest>,
    journal: PathBuf,
    _guard: Flock,
}

/// Why a scope could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// The disk refused.
    #[error("cannot change `{}`", path.display())]
    Disk {
        /// What was to be changed.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// An earlier change cannot be finished.
    #[error("an interrupted change cannot be finished; it is written in `{}`", path.display())]
    Recovery {
        /// The journal.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The folder of skills is a link that leaves the project.
    #[error("`{target}` leads out of the project, to `{}`", to.display())]
    Outside {
        /// The folder.
        target: String,
        /// Where it leads.
        to: PathBuf,
    },
    /// The lock cannot be used.
    #[error(transparent)]
    Lockfile(#[from] LockfileError),
    /// The manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Files cannot be written.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl<'a> Transaction<'a> {
    /// Waits until nobody else changes the scope, finishes what was interrupted, and reads it.
    pub fn begin(scope: &'a Scope, store: &'a Store) -> Result<Self, TransactionError> {
        let folder = scope.guarded_folder();
        let disk = |source| TransactionError::Disk {
            path: folder.to_owned(),
            source,
        };
        std::fs::create_dir_all(folder).map_err(disk)?;
        let guard = Flock::folder(folder, Hold::Alone).map_err(disk)?;
        let journal = scope.journal_file();
        let recovery = |source| TransactionError::Recovery {
            path: journal.clone(),
            source,
        };
        if let Some(interrupted) = Journal::read(&journal).map_err(recovery)? {
            interrupted.recover(&journal).map_err(recovery)?;
        }
        Ok(Self {
            lock: Lockfile::read(&scope.lock_file())?,
            manifest: scope
                .manifest_file()
                .map(|file| Manifest::read(&file))
                .transpose()?,
            scope,
            store,
            journal,
            _guard: guard,
        })
    }

    /// What is installed.
    pub fn lock(&self) -> &Lockfile {
        &self.lock
    }

    /// What the project wants, to be changed along.
    pub fn manifest(&mut self) -> Option<&mut Manifest> {
        self.manifest.as_mut()
    }

    /// What has to change.
    pub fn plan(&self, wish: &Wish, settlement: &Settlement) -> Plan {
        plan_in(self.scope, self.store, &self.lock, wish, settlement)
    }

    /// Makes it so.
    pub fn commit(self, plan: &Plan, trees: &Trees) -> Result<(), TransactionError> {
        let files = self.changed_files(plan);
        if plan.steps.is_empty() && files.is_empty() {
            return Ok(self.store.remember(&self.scope.lock_file())?);
        }
        let stages = self.stages(plan)?;
        let paths: Vec<PathBuf> = stages.values().map(|stage| stage.path.clone()).collect();
        let preparing = Progress::Preparing {
            stages: paths.clone(),
        };
        // A power cut that takes this back leaves a hidden folder that no agent reads, and nothing else.
        self.write(preparing, |_| Ok(()))?;
        let ready = self.stage(plan, &stages, trees).and_then(|moves| {
            self.store.remember(&self.scope.lock_file())?;
            let commit = Commit {
                stages: paths.clone(),
                moves,
                files,
            };
            self.write(Progress::Committed(commit), |draft| durable(&paths, draft))
        });
        let commit = match ready {
            Ok(Progress::Committed(commit)) => commit,
            Ok(Progress::Preparing { .. }) => return Ok(()),
            Err(error) => {
                throw_away(&paths);
                let _ = std::fs::remove_file(&self.journal);
                return Err(error);
            }
        };
        if let Err(source) = commit.perform() {
            // It did not crash, it cannot be done: back to how it was.
            if commit.undo().is_ok() {
                throw_away(&commit.stages);
                let _ = std::fs::remove_file(&self.journal);
            }
            return Err(disk(&self.scope.root, source));
        }
        throw_away(&commit.stages);
        std::fs::remove_file(&self.journal).map_err(|source| disk(&self.journal, source))
    }

    /// Writes down how far the change is; `before` happens before that counts.
    fn write(
        &self,
        progress: Progress,
        before: impl FnOnce(&Draft<'_>) -> io::Result<()>,
    ) -> Result<Progress, TransactionError> {
        let journal = Journal {
            guarded: self.scope.guarded_folder().to_owned(),
            progress,
        };
        let draft = journal.draft(&self.journal);
        let written = draft.and_then(|draft| {
            before(&draft)?;
            draft.publish()
        });
        written.map_err(|source| disk(&self.journal, source))?;
        Ok(journal.progress)
    }

    /// The lock and the manifest, where they change.
    fn changed_files(&self, plan: &Plan) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let lock_file = self.scope.lock_file();
        if plan.lock != self.lock || !lock_file.exists() {
            files.push((lock_file, plan.lock.to_text()));
        }
        if let (Some(file), Some(manifest)) = (self.scope.manifest_file(), &self.manifest) {
            let text = manifest.to_text();
            let before = std::fs::read_to_string(&file).unwrap_or_default();
            if text != before {
                files.push((file, text));
            }
        }
        files
    }

    /// A hidden folder beside each folder of skills that changes.
    fn stages(&self, plan: &Plan) -> Result<BTreeMap<String, Stage>, TransactionError> {
        let mut stages = BTreeMap::new();
        let name = format!(".skillyard-{}", unique());
        for step in &plan.steps {
            let (Step::Put { target, .. } | Step::Take { target, .. }) = step;
            if stages.contains_key(target) {
                continue;
            }
            let folder = self.scope.target(target);
            let failed = |source| disk(&folder, source);
            // Before anything is made: a link must not lead even an empty folder outside.
            self.check_inside(target, &folder)?;
            std::fs::create_dir_all(&folder).map_err(failed)?;
            let folder = folder.canonicalize().map_err(failed)?;
            self.check_inside(target, &folder)?;
            let beside = folder.parent().unwrap_or(&folder);
            // Two targets may lie in the same folder.
            let path = beside.join(format!("{name}-{}", stages.len()));
            stages.insert(target.clone(), Stage { folder, path });
        }
        Ok(stages)
    }

    /// Whether as much of a target as exists lies in the project.
    fn check_inside(&self, target: &str, folder: &Path) -> Result<(), TransactionError> {
        if self.scope.kind != ScopeKind::Project {
            return Ok(());
        }
        let failed = |source| disk(folder, source);
        let root = self.scope.root.canonicalize().map_err(failed)?;
        let mut existing = folder.ancestors();
        // A link that leads nowhere is not the same as nothing.
        let existing = existing.find(|part| part.symlink_metadata().is_ok());
        let to = existing.unwrap_or(folder).canonicalize().map_err(failed)?;
        if to.starts_with(&root) {
            return Ok(());
        }
        Err(TransactionError::Outside {
            target: target.to_owned(),
            to,
        })
    }

    /// Puts everything new beside its place.
    fn stage(
        &self,
        plan: &Plan,
        stages: &BTreeMap<String, Stage>,
        trees: &Trees,
    ) -> Result<Vec<Move>, TransactionError> {
        for stage in stages.values() {
            std::fs::create_dir(&stage.path).map_err(|source| disk(&stage.path, source))?;
        }
        let moves: Result<Vec<Move>, TransactionError> = plan
            .steps
            .par_iter()
            .map(|step| self.stage_step(step, stages, trees))
            .collect();
        moves
    }

    fn stage_step(
        &self,
        step: &Step,
        stages: &BTreeMap<String, Stage>,
        trees: &Trees,
    ) -> Result<Move, TransactionError> {
        let (Step::Put { target, name, .. } | Step::Take { target, name }) = step;
        let stage = &stages[target];
        let old = stage.path.join(format!("{name}.old"));
        let place = stage.folder.join(name);
        let Step::Put { digest, linked, .. } = step else {
            return Ok(Move {
                place,
                new: None,
                old,
            });
        };
        let new = stage.path.join(name);
        let content = if *linked {
            // A copy comes from bytes that were hashed; a link must not lead to others.
            self.store.read(*digest)?;
            let path = self.store.path(*digest);
            std::os::unix::fs::symlink(&path, &new).map_err(|source| disk(&new, source))?;
            Content::Link(path)
        } else {
            let tree = match trees.get(digest) {
                Some(tree) => Arc::clone(tree),
                None => Arc::new(self.store.read(*digest)?),
            };
            tree.write(&new, Access::Editable)?;
            Content::Folder(*digest)
        };
        Ok(Move {
            place,
            new: Some((new, content)),
            old,
        })
    }
}

/// What has to change in a scope, without waiting for anybody.
pub fn plan_in(
    scope: &Scope,
    store: &Store,
    lock: &Lockfile,
    wish: &Wish,
    settlement: &Settlement,
) -> Plan {
    plan(
        lock,
        wish,
        settlement,
        |path, digest| match store.read(digest) {
            _ if path != store.path(digest) => LinkTarget::Elsewhere,
            Ok(_) => LinkTarget::Sound,
            Err(_) => LinkTarget::Damaged,
        },
        |target, name| look(&scope.target(target).join(name)),
    )
}

/// Where the skills of one target wait.
#[derive(Debug)]
struct Stage {
    /// The target, with no link in its path.
    folder: PathBuf,
    /// The hidden folder beside it.
    path: PathBuf,
}

fn disk(path: &Path, source: io::Error) -> TransactionError {
    TransactionError::Disk {
        path: path.to_owned(),
        source,
    }
}

/// A name that no other process uses.
fn unique() -> String {
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    format!("{}-{}", std::process::id(), time.as_nanos())
}

/// Makes what was staged and the journal durable, with one call for each file system: a call for
/// each of many small files takes twenty times as long.
fn durable(stages: &[PathBuf], journal: &Draft<'_>) -> io::Result<()> {
    let mut synced = Vec::new();
    for stage in stages {
        let stage = File::open(stage)?;
        let device = stage.metadata()?.dev();
        if !synced.contains(&device) {
            sync_all_of(&stage)?;
            synced.push(device);
        }
    }
    if cfg!(target_os = "linux") && synced.contains(&journal.device()?) {
        return Ok(());
    }
    journal.sync()
}

/// Waits for everything on the file system of a folder.
fn sync_all_of(folder: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(folder)?;
    #[cfg(not(target_os = "linux"))]
    folder.sync_all()?;
    Ok(())
}
