//! The folders of the store that links lead to.
//!
//! Whoever works in a skill that is linked works in here. Programs leave something behind, and a
//! power cut takes something away, neither of which is anybody's work; what somebody changed is.

use std::io;
use std::path::PathBuf;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use skillyard_format::Digest;

use super::{Store, StoreError, as_filed};
use crate::tree::{Access, Tree, TreeError, TreeLimits};

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

    /// Reads the folder of a skill that a link may lead to.
    pub fn read_folder(&self, digest: Digest) -> Result<Tree, StoreError> {
        if !self.folder(digest).is_dir() {
            return Err(StoreError::Missing(digest));
        }
        as_filed(self.found_in_folder(digest)?, digest)
    }

    /// Whether somebody changed the folder of a skill that a link may lead to.
    pub fn is_edited(&self, digest: Digest) -> bool {
        if !self.folder(digest).is_dir() {
            return false;
        }
        let Ok(found) = self.found_in_folder(digest) else {
            return true;
        };
        let found = found.tidied();
        let is_left = |whole: Tree| found.is_left_of(&whole);
        found.digest() != digest && !found.is_hollow() && !self.read(digest).is_ok_and(is_left)
    }

    /// The folder of a skill, made if it is not there, or not whole.
    pub fn make_folder(&self, tree: &Tree, edits: Edits) -> Result<PathBuf, StoreError> {
        let digest = tree.digest();
        let path = self.folder(digest);
        let is_there = match self.read_folder(digest) {
            Ok(_) => return Ok(path),
            Err(StoreError::Missing(_)) => false,
            Err(error) if edits == Edits::Kept && self.is_edited(digest) => return Err(error),
            Err(_) => true,
        };
        let parent = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(parent).map_err(|source| self.failed(source))?;
        let staging = self.staging()?;
        let staged = staging.path().join("skill");
        tree.write(&staged, Access::ReadOnly)?;
        if is_there {
            match std::fs::rename(&path, staging.path().join("old")) {
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
            Ok(_) | Err(StoreError::Missing(_)) => Ok(()),
            Err(error) => {
                let found = self.found_in_folder(digest).map(Tree::tidied);
                let is_sound = found.is_ok_and(|found| found.digest() == digest);
                if is_sound { Ok(()) } else { Err(error) }
            }
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
