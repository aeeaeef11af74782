//! The store: the bytes of every skill once, as one tar file named by the tree digest.
//!
//! What is read is hashed again, so a changed byte is found when it is used. Therefore nothing here is
//! synced to disk: what a power cut takes is fetched again. Skills that are installed as links also have
//! a folder, whose files are read-only. Earlier versions had such a folder for every skill; it is still
//! read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use skillyard_catalog::modes;
use skillyard_catalog::private_dir;
use skillyard_catalog::private_dir::LeftoverFolder;
use skillyard_format::Digest;

use crate::flock::{Flock, Hold};
use crate::lockfile::LockfileError;
use crate::scope::Scope;
use crate::staging::{Staging, sweep};
use crate::tree::{Tree, TreeError};

mod archive;
mod collect;
mod folder;

pub use collect::{Collected, LinkedDigests, Unreachable};
pub use folder::Edits;

/// Skills by digest.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// The folders in a store.
const FOLDERS: &[&str] = &["archives", "roots", "scanned", "sha256", "staging"];
/// What earlier versions stored skills in. These folders are not read, and removed when unused skills are.
const OLD_FOLDERS: [&str; 2] = ["bundles", "packs"];

/// Nothing may be collected while this is held.
#[derive(Debug)]
pub struct InUse {
    _lock: Flock,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk refused.
    #[error("cannot use the store `{}`", path.display())]
    Disk {
        /// The folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// What stands for a project that uses the store cannot be read.
    #[error("cannot tell which project `{}` stands for", path.display())]
    Root {
        /// The file in the store.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The lock of a project that uses the store cannot be read.
    #[error("cannot tell what `{}` still needs", lock_file.display())]
    Lock {
        /// The lock.
        lock_file: PathBuf,
        /// Why not.
        source: LockfileError,
    },
    /// It is not in the store.
    #[error("{0} is not in the store")]
    Missing(Digest),
    /// The files of a folder cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Its bytes are not what they were.
    #[error("the store is damaged: {expected} has become {found}")]
    Damaged {
        /// What it is filed as.
        expected: Digest,
        /// What it is.
        found: Digest,
    },
    /// Somebody changed the folder that links lead to.
    #[error("`{}`, which links lead to, was edited", path.display())]
    Edited {
        /// What it is filed as.
        digest: Digest,
        /// The folder.
        path: PathBuf,
    },
    /// The archive of a skill cannot be read.
    #[error("the store is damaged: the archive of {digest} cannot be read")]
    Archive {
        /// The digest that it is stored under.
        digest: Digest,
        /// The cause.
        source: io::Error,
    },
}

impl StoreError {
    /// Whether something in the store is not what it was.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Archive { .. })
    }
}

impl Scope {
    /// Where the bytes of installed skills are.
    pub fn store(&self) -> Store {
        Store::new(&self.skillyard_home.join("store"))
    }
}

impl Store {
    /// The store in `root`, which is made when something is put into it.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// The store's own folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Keeps the collector away.
    pub fn in_use(&self) -> Result<InUse, StoreError> {
        self.locked(Hold::Shared)
    }

    /// Reads a skill and checks its digest.
    pub fn read(&self, digest: Digest) -> Result<Tree, StoreError> {
        match archive::read(&self.archive(digest)) {
            Ok(tree) => as_filed(tree, digest),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.read_folder(digest),
            Err(source) => Err(StoreError::Archive { digest, source }),
        }
    }

    /// A skill as it was installed into a place where no executable bits are kept; nothing elsewhere.
    pub fn behind(&self, digest: Digest, place: &Path) -> Option<Tree> {
        if modes::are_kept(place) {
            return None;
        }
        self.read(digest).ok()
    }

    /// The digests that a skill has in a place where no executable bits are kept; none elsewhere.
    pub fn shown_as(&self, digest: Digest, place: &Path) -> Vec<Digest> {
        let tree = self.behind(digest, place);
        tree.map_or_else(Vec::new, |tree| tree.alike().to_vec())
    }

    /// Reads skills in parallel, checks their digests, and calls `with` for each.
    pub fn read_each<T: Send>(
        &self,
        digests: &[Digest],
        with: impl Fn(Digest, Result<Tree, StoreError>) -> T + Sync,
    ) -> Vec<T> {
        let digests = digests.par_iter();
        digests
            .map(|digest| with(*digest, self.read(*digest)))
            .collect()
    }

    /// Stores skills that are not stored yet.
    pub(crate) fn insert<'t>(
        &self,
        trees: impl Iterator<Item = &'t Arc<Tree>>,
    ) -> Result<(), StoreError> {
        let is_absent = |tree: &&Arc<Tree>| {
            let found = self.archive(tree.digest()).symlink_metadata();
            // A power cut can leave an empty file.
            !found.is_ok_and(|found| found.is_file() && found.len() > tree.size())
        };
        let absent: Vec<&Arc<Tree>> = trees.filter(is_absent).collect();
        if absent.is_empty() {
            return Ok(());
        }
        let staging = self.staging()?;
        let folder = self.root.join("archives");
        let insert = |tree: &&Arc<Tree>| {
            let staged = staging.path().join(tree.digest().to_hex());
            let place = self.archive(tree.digest());
            archive::write(tree, &staged)?;
            if place.is_dir() {
                private_dir::remove(&place)?;
            }
            std::fs::rename(&staged, &place)
        };
        private_dir::create(&folder)
            .and_then(|()| absent.par_iter().try_for_each(insert))
            .map_err(|source| self.failed(source))
    }

    /// Every digest in the store, sorted.
    pub fn list(&self) -> Result<Vec<Digest>, StoreError> {
        let listed = |folder: &Path| names(folder).map_err(|source| self.failed(source));
        let mut found = listed(&self.root.join("archives"))?;
        for name in &mut found {
            if let Some(hex) = name.strip_suffix(".tar") {
                *name = hex.to_owned();
            }
        }
        let folders = self.root.join("sha256");
        for start in listed(&folders)? {
            let rest = listed(&folders.join(&start))?;
            found.extend(rest.into_iter().map(|rest| format!("{start}{rest}")));
        }
        let digests = found.iter().map(|hex| format!("sha256:{hex}").parse());
        let mut digests: Vec<Digest> = digests.filter_map(Result::ok).collect();
        digests.sort_unstable();
        digests.dedup();
        Ok(digests)
    }

    /// Hashes everything again; returns how many are sound and what is wrong with the others.
    pub fn verify(&self) -> Result<(usize, Vec<(Digest, StoreError)>), StoreError> {
        let digests = self.list()?;
        let looked_at = self.read_each(&digests, |digest, read| {
            let error = read.and_then(|_| self.verify_folder(digest)).err()?;
            Some((digest, error))
        });
        let bad: Vec<_> = looked_at.into_iter().flatten().collect();
        Ok((digests.len() - bad.len(), bad))
    }

    /// A fresh folder on the store's file system that only the owner can enter.
    pub fn staging(&self) -> Result<Staging, StoreError> {
        let staging = Staging::new(&self.root.join("staging"));
        staging.map_err(|source| self.failed(source))
    }

    fn archive(&self, digest: Digest) -> PathBuf {
        let name = format!("{}.tar", digest.to_hex());
        self.root.join("archives").join(name)
    }

    fn locked(&self, hold: Hold) -> Result<InUse, StoreError> {
        private_dir::create(&self.root).map_err(|source| self.failed(source))?;
        let lock = Flock::folder(&self.root, hold).map_err(|source| self.failed(source))?;
        Ok(InUse { _lock: lock })
    }

    /// Removes what processes that were killed left in the quarantine, and says what cannot be
    /// removed.
    pub fn sweep(&self) -> Vec<LeftoverFolder> {
        // A quarantine that cannot be read is told of by whoever needs it.
        sweep(&self.root.join("staging")).unwrap_or_default()
    }

    /// The folders in it, whether they are there or not.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        FOLDERS.iter().map(|name| self.root.join(name))
    }

    fn failed(&self, source: io::Error) -> StoreError {
        // A file in the place of a folder is what has to go, and not the store.
        let kinds = [io::ErrorKind::NotADirectory, io::ErrorKind::AlreadyExists];
        let mut files = self.folders().filter(|folder| folder.is_file());
        let file = kinds.contains(&source.kind()).then(|| files.next());
        StoreError::Disk {
            path: file.flatten().unwrap_or_else(|| self.root.clone()),
            source,
        }
    }
}

fn as_filed(tree: Tree, digest: Digest) -> Result<Tree, StoreError> {
    if tree.digest() == digest {
        return Ok(tree);
    }
    Err(StoreError::Damaged {
        expected: digest,
        found: tree.digest(),
    })
}

/// What lies in a folder; nothing where there is no folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let entries = match std::fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(Vec::new()),
        other => other?,
    };
    let mut names = Vec::new();
    for entry in entries {
        // No name of ours is anything but text.
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}
