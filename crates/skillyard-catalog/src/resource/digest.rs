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
    let mut tree = TreeDigest::default();
    for file in file_digests(root, limits)?.files {
        tree.add(&file.path, file.executable, file.digest);
    }
    Ok(tree.finish())
}

/// The files of a skill by their content.
#[derive(Debug, Default)]
pub struct FileDigests {
    /// The regular files.
    pub files: Vec<FileDigest>,
    /// Links, pipes and the like, which are no part of the tree digest.
    pub others: Vec<String>,
}

/// One regular file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// The path below the skill's root.
    pub path: String,
    /// Whether its owner may execute the file.
    pub executable: bool,
    /// The digest of its content.
    pub digest: Digest,
}

/// The digest of every file of a skill, if it is within `limits`.
pub fn file_digests(root: &SkillRoot, limits: &DigestLimits) -> Result<FileDigests, ResourceError> {
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let mut hashing = Hashing {
        found: FileDigests::default(),
        limits,
        bytes: 0,
        buffer: vec![0; 64 * 1024],
    };
    walk(folder, "", &mut |visit| {
        hashing.add(visit).map(|()| Walk::On)
    })?;
    Ok(hashing.found)
}

struct Hashing<'a> {
    found: FileDigests,
    limits: &'a DigestLimits,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Hashing<'_> {
    fn add(&mut self, visit: Visit<'_>) -> Result<(), ResourceError> {
        let (path, folder, name) = match visit {
            Visit::File {
                path, folder, name, ..
            } => (path, folder, name),
            Visit::Other {
                path,
                reason: ResourceError::Symlink { .. } | ResourceError::NotRegular { .. },
            } => {
                self.found.others.push(path);
                return Ok(());
            }
            Visit::Other { reason, .. } => return Err(reason),
        };
        if path.contains(char::is_control) {
            return Err(ResourceError::ControlCharacter { path: shown(path) });
        }
        if self.found.files.len() == self.limits.max_files {
            let limit = self.limits.max_files;
            return Err(ResourceError::TooManyFiles { limit });
        }
        let opened = openat(folder, name, FILE, Mode::empty());
        let (file, metadata) = regular(path, opened.map_err(|error| explain(path, error))?)?;
        let digest = self.content(path, file)?;
        self.found.files.push(FileDigest {
            path: path.to_owned(),
            executable: metadata.mode() & OWNER_EXECUTES != 0,
            digest,
        });
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
