//! The tree digest of a skill on disk.
//!
//! Every regular file counts, also one whose name [`SkillRoot::read`] refuses because of another system: the digest of the
//! same files is the same everywhere. A name that is not UTF-8 or holds a line break could forge a line of
//! the digest and is an error.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{Mode, openat};
use skillyard_format::package::{ContentDigest, Digest, TreeDigest};

use super::error::ResourceError;
use super::open::FILE;
use super::path::shown;
use super::read::{OWNER_EXECUTES, regular};
use super::root::{SkillRoot, explain};
use super::walk::{Visit, Walk, walk};

/// How large a skill may be to be hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestLimits {
    /// How many files it may have.
    pub max_files: usize,
    /// How many bytes they may have together.
    pub max_bytes: u64,
}

impl Default for DigestLimits {
    fn default() -> Self {
        Self {
            max_files: 512,
            max_bytes: 16 * 1024 * 1024,
        }
    }
}

/// The tree digest of a skill of usual size.
pub fn digest(root: &SkillRoot) -> Result<Digest, ResourceError> {
    digest_within(root, &DigestLimits::default())
}

/// The tree digest of a skill, if it is within `limits`.
pub fn digest_within(root: &SkillRoot, limits: &DigestLimits) -> Result<Digest, ResourceError> {
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let mut hashing = Hashing {
        tree: TreeDigest::default(),
        limits,
        files: 0,
        bytes: 0,
        buffer: vec![0; 64 * 1024],
    };
    walk(folder, "", &mut |visit| {
        hashing.add(visit).map(|()| Walk::On)
    })?;
    Ok(hashing.tree.finish())
}

struct Hashing<'a> {
    tree: TreeDigest,
    limits: &'a DigestLimits,
    files: usize,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Hashing<'_> {
    fn add(&mut self, visit: Visit<'_>) -> Result<(), ResourceError> {
        let (path, folder, name) = match visit {
            Visit::File {
                path, folder, name, ..
            } => (path, folder, name),
            // Links, pipes and the like are no part of the digest.
            Visit::Other {
                reason: ResourceError::Symlink { .. } | ResourceError::NotRegular { .. },
                ..
            } => return Ok(()),
            Visit::Other { reason, .. } => return Err(reason),
        };
        if path.contains(char::is_control) {
            return Err(ResourceError::ControlCharacter { path: shown(path) });
        }
        self.files += 1;
        if self.files > self.limits.max_files {
            let limit = self.limits.max_files;
            return Err(ResourceError::TooManyFiles { limit });
        }
        let opened = openat(folder, name, FILE, Mode::empty());
        let (file, metadata) = regular(path, opened.map_err(|error| explain(path, error))?)?;
        let executable = metadata.mode() & OWNER_EXECUTES != 0;
        let content = self.content(path, file)?;
        self.tree.add(path, executable, content);
        Ok(())
    }

    fn content(&mut self, path: &str, mut file: File) -> Result<Digest, ResourceError> {
        let mut content = ContentDigest::default();
        loop {
            let count = file
                .read(&mut self.buffer)
                .map_err(|source| ResourceError::Io {
                    path: path.to_owned(),
                    source,
                })?;
            if count == 0 {
                return Ok(content.finish());
            }
            self.bytes += count as u64;
            if self.bytes > self.limits.max_bytes {
                let limit = self.limits.max_bytes;
                return Err(ResourceError::TooManyBytes { limit });
            }
            content.add(&self.buffer[..count]);
        }
    }
}
