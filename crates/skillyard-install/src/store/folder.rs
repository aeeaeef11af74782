//! The folders of the store that links lead to.
//!
//! Whoever works in a skill that is linked works in here. What programs leave behind is nobody's
//! work; everything else that differs is somebody's, because the files are on the disk before a link
//! leads to them, and a power cut takes nothing away.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use skillyard_catalog::private_dir;
use skillyard_format::Digest;

use super::{Store, StoreError, as_filed};
use crate::tree::{Tree, TreeError, TreeLimits, WriteAccess};

/// What becomes of what somebody changed in a folder that links lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    /// It stays, and the folder cannot be used.
    Kept,
    /// It is lost.
    GivenUp,
}

impl Store {
    /// The folder of a skill that a link may lead to, whether it is there or not.
    pub fn folder(&self, digest: Digest) -> PathBuf {
        let hex = digest.to_hex();
        self.root.join("sha256").join(&hex[..2]).join(&hex[2..])
    }

    /// The folder of a skill that a path is, or lies in, and the digest that it is called by.
    pub fn folder_around(&self, path: &Path) -> Option<(PathBuf, Digest)> {
        // Nearly no path is one, and most need no look at the disk to tell.
        let at = path.iter().position(|part| part == "sha256")?;
        let all: PathBuf = path.iter().take(at + 1).collect();
        let own = self.root.join("sha256");
        if all != own && own.canonicalize().ok()? != all {
            return None;
        }
        let mut parts = path.iter().skip(at + 1).map(OsStr::to_str);
        let (first, rest) = (parts.next()??, parts.next()??);
        let digest = format!("sha256:{first}{rest}").parse().ok()?;
        Some((all.join(first).join(rest), digest))
    }

    /// Reads the folder of a skill that a link may lead to.
    pub fn read_folder(&self, digest: Digest) -> Result<Tree, StoreError> {
        let path = self.folder(digest);
        if !path.is_dir() {
            return Err(StoreError::Missing(digest));
        }
        let found = self.found_in_folder(digest)?;
        let read = as_filed(found.clone(), digest);
        if read.is_err() && found.tidied().digest() != digest {
            return Err(StoreError::Edited { digest, path });
        }
        read
    }

    /// Whether somebody changed the folder of a skill that a link may lead to.
    pub fn is_edited(&self, digest: Digest) -> bool {
        let read = self.read_folder(digest);
        matches!(read, Err(StoreError::Edited { .. } | StoreError::Tree(_)))
    }

    /// The folder of a skill, made if it is not there, or not whole.
    pub fn make_folder(&self, tree: &Tree, edits: Edits) -> Result<PathBuf, StoreError> {
        let digest = tree.digest();
        let path = self.folder(digest);
        let is_there = match self.read_folder(digest) {
            Ok(_) => return Ok(path),
            Err(StoreError::Missing(_)) => false,
            Err(StoreError::Edited { .. } | StoreError::Tree(_)) if edits == Edits::Kept => {
                return Err(StoreError::Edited { digest, path });
            }
            Err(_) => true,
        };
        let parent = path.parent().unwrap_or(&self.root);
        private_dir::create(parent).map_err(|source| self.failed(source))?;
        let staging = self.staging()?;
        let staged = staging.path().join("skill");
        tree.write(&staged, WriteAccess::ReadOnly)?;
        tree.sync(&staged).map_err(|source| self.failed(source))?;
        if is_there {
            match std::fs::rename(&path, staging.path().join("old")) {
                // It came with the image of a container, and cannot be moved.
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                    private_dir::remove(&path).map_err(|source| self.failed(source))?;
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(self.failed(error));
                }
                _ => {}
            }
        }
        match renameat_with(CWD, &staged, CWD, &path, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(path),
            // Another process was faster, with the same bytes.
            Err(Errno::EXIST) => self.read_folder(digest).map(|_| path),
            Err(error) => Err(self.failed(error.into())),
        }
    }

    /// Hashes the folder of a skill, if it has one; what programs left in it is no damage.
    pub(super) fn verify_folder(&self, digest: Digest) -> Result<(), StoreError> {
        match self.read_folder(digest) {
            Ok(_) | Err(StoreError::Missing(_) | StoreError::Damaged { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn found_in_folder(&self, digest: Digest) -> Result<Tree, TreeError> {
        let limits = TreeLimits {
            files: usize::MAX,
            bytes: u64::MAX >> 1,
            ..TreeLimits::default()
        };
        Tree::read_any_names(&self.folder(digest), &limits)
    }
}
