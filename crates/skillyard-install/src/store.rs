//! The store: every skill's bytes once, in a folder named by their tree digest.
//!
//! What is taken out is hashed again, so a changed byte is found at the moment of use. Files
//! in it are read-only, because targets may link to them.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use skillyard_format::Digest;

use crate::flock::{Flock, Hold};
use crate::lockfile::Lockfile;
use crate::staging::{Staging, sweep};
use crate::tree::{Tree, TreeError, TreeLimits};

/// A folder of skills by digest.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

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
    /// It is not in the store.
    #[error("{0} is not in the store")]
    Missing(Digest),
    /// Its files cannot be read or written.
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
}

/// Who put a skill into the store.
enum Inserted {
    Now,
    Before,
}

/// What a collection removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// Skills that nobody uses.
    pub removed: usize,
    /// Skills that stay.
    pub kept: usize,
    /// Bytes that are free again.
    pub bytes: u64,
}

impl Store {
    /// The store in `root`, which is made when something is put into it.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Keeps the collector away.
    pub fn in_use(&self) -> Result<InUse, StoreError> {
        self.locked(Hold::Shared)
    }

    /// The folder of a digest, whether it is there or not.
    pub fn path(&self, digest: Digest) -> PathBuf {
        let hex = digest.to_hex();
        self.root.join("sha256").join(&hex[..2]).join(&hex[2..])
    }

    /// Whether there is something under this digest.
    pub fn contains(&self, digest: Digest) -> bool {
        self.path(digest).is_dir()
    }

    /// Puts a skill in; one that is there already stays.
    pub fn insert(&self, tree: &Tree) -> Result<(), StoreError> {
        let path = self.path(tree.digest());
        if path.is_dir() {
            return Ok(());
        }
        let parent = path.parent().unwrap_or(&self.root);
        for folder in [parent, &self.root.join("staging")] {
            std::fs::create_dir_all(folder).map_err(|source| self.failed(source))?;
        }
        // Two threads never put the same skill in, so this name is ours.
        let name = format!("{}-{}", std::process::id(), tree.digest().to_hex());
        let staged = self.root.join("staging").join(name);
        let inserted = tree.write(&staged, crate::tree::Access::ReadOnly);
        let inserted = inserted.map_err(StoreError::from).and_then(|()| {
            match renameat_with(CWD, &staged, CWD, &path, RenameFlags::NOREPLACE) {
                Ok(()) => Ok(Inserted::Now),
                // Another process was faster, with the same bytes.
                Err(rustix::io::Errno::EXIST) => Ok(Inserted::Before),
                Err(error) => Err(self.failed(error.into())),
            }
        });
        if !matches!(inserted, Ok(Inserted::Now)) {
            let _ = std::fs::remove_dir_all(&staged);
        }
        inserted.map(|_| ())
    }

    /// Takes a skill out, hashed again.
    pub fn read(&self, digest: Digest) -> Result<Tree, StoreError> {
        let path = self.path(digest);
        if !path.is_dir() {
            return Err(StoreError::Missing(digest));
        }
        let limits = TreeLimits {
            files: usize::MAX,
            bytes: u64::MAX >> 1,
            ..TreeLimits::default()
        };
        let tree = Tree::read(&path, &limits)?;
        if tree.digest() == digest {
            Ok(tree)
        } else {
            Err(StoreError::Damaged {
                expected: digest,
                found: tree.digest(),
            })
        }
    }

    /// Removes what is filed under a digest.
    pub fn discard(&self, digest: Digest) -> Result<(), StoreError> {
        match std::fs::remove_dir_all(self.path(digest)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(error)),
            _ => Ok(()),
        }
    }

    /// Every digest in the store, sorted.
    pub fn list(&self) -> Result<Vec<Digest>, StoreError> {
        let mut digests = Vec::new();
        for start in folders(&self.root.join("sha256")).map_err(|e| self.failed(e))? {
            for rest in folders(&start).map_err(|e| self.failed(e))? {
                let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
                if let (Some(start), Some(rest)) = (name(&start), name(&rest))
                    && let Ok(digest) = format!("sha256:{start}{rest}").parse()
                {
                    digests.push(digest);
                }
            }
        }
        digests.sort_unstable();
        Ok(digests)
    }

    /// Hashes everything again; returns how many are sound and what is wrong with the others.
    pub fn verify(&self) -> Result<(usize, Vec<(Digest, StoreError)>), StoreError> {
        let digests = self.list()?;
        let bad: Vec<_> = digests
            .par_iter()
            .filter_map(|digest| self.read(*digest).err().map(|error| (*digest, error)))
            .collect();
        Ok((digests.len() - bad.len(), bad))
    }

    /// Remembers that a lock file uses the store.
    pub fn remember(&self, lock_file: &Path) -> Result<(), StoreError> {
        let name = Digest::of(lock_file.as_os_str().as_encoded_bytes()).to_hex();
        let root = self.root.join("roots").join(&name[..32]);
        if root.is_file() {
            return Ok(());
        }
        // Not under any lock: two that write at once write the same.
        let write = || -> io::Result<()> {
            let folder = self.root.join("roots");
            std::fs::create_dir_all(&folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            file.write_all(lock_file.as_os_str().as_encoded_bytes())?;
            file.persist(&root)?;
            Ok(())
        };
        write().map_err(|source| self.failed(source))
    }

    /// Removes what no remembered lock names, and what interrupted processes left.
    pub fn collect(&self) -> Result<Collected, StoreError> {
        let _lock = self.locked(Hold::Alone)?;
        let mut used: BTreeSet<Digest> = BTreeSet::new();
        for root in files(&self.root.join("roots")).map_err(|e| self.failed(e))? {
            let Ok(lock_file) = std::fs::read_to_string(&root) else {
                continue;
            };
            let lock_file = Path::new(&lock_file);
            match Lockfile::read(lock_file) {
                // The project is gone, or nothing is installed in it any more.
                Ok(lock) if lock.skills().is_empty() => {
                    let _ = std::fs::remove_file(&root);
                }
                Ok(lock) => used.extend(lock.skills().iter().map(|each| each.digest)),
                // A lock that cannot be read may name anything.
                Err(error) => {
                    return Err(self.failed(io::Error::other(error)));
                }
            }
        }
        let mut collected = Collected::default();
        for digest in self.list()? {
            if used.contains(&digest) {
                collected.kept += 1;
                continue;
            }
            collected.bytes += self.read(digest).map_or(0, |tree| tree.size());
            self.discard(digest)?;
            collected.removed += 1;
        }
        sweep(&self.root.join("staging")).map_err(|source| self.failed(source))?;
        Ok(collected)
    }

    /// A fresh folder on the store's file system that only the owner can enter.
    pub fn staging(&self) -> Result<Staging, StoreError> {
        let staging = Staging::new(&self.root.join("staging"));
        staging.map_err(|source| self.failed(source))
    }

    /// The store's own folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn locked(&self, hold: Hold) -> Result<InUse, StoreError> {
        std::fs::create_dir_all(&self.root).map_err(|source| self.failed(source))?;
        let lock = Flock::folder(&self.root, hold).map_err(|source| self.failed(source))?;
        Ok(InUse { _lock: lock })
    }

    fn failed(&self, source: io::Error) -> StoreError {
        StoreError::Disk {
            path: self.root.clone(),
            source,
        }
    }
}

fn entries(folder: &Path) -> io::Result<Vec<std::fs::DirEntry>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let all = entries(folder)?.into_iter();
    Ok(all
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect())
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let all = entries(folder)?.into_iter();
    Ok(all
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .collect())
}
