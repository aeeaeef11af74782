//! The tree digest of a skill on disk.
//!
//! Every regular file and every link counts, and so does what nothing is read of, such as a pipe:
//! it was not installed. So does a file whose name [`SkillRoot::read`] refuses because of another system: the
//! digest of the same files is the same everywhere. Names count by their bytes; unreadable ones (not UTF-8, or with a
//! line break) are part of the digest only.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{Mode, openat};
use skillyard_format::package::{ContentDigest, Digest, TreeDigest};

use super::error::ResourceError;
use super::path::shown;
use super::read::{OWNER_EXECUTES, regular};
use super::root::{FILE, SkillRoot, explain};
use super::walk::{Visit, WalkStep, walk, walk_without};
use crate::walk::Stamp;

/// How large a skill may be to be hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestLimits {
    /// How many files it may have.
    pub max_files: usize,
    /// How many bytes they may have together.
    pub max_bytes: u64,
}

impl DigestLimits {
    /// A skill on this machine, even with what `npm install` left in its folder: far
    /// more than may be installed.
    pub const HERE: Self = Self {
        max_files: 20_000,
        max_bytes: 1 << 30,
    };

    /// A skill of usual size, of which all files are held at once.
    pub const USUAL: Self = Self {
        max_files: 512,
        max_bytes: 16 * 1024 * 1024,
    };
}

/// The tree digest of a skill on this machine.
pub fn digest(root: &SkillRoot) -> Result<Digest, ResourceError> {
    digest_within(root, &DigestLimits::HERE)
}

/// The tree digest of a skill, if it is within `limits`.
pub fn digest_within(root: &SkillRoot, limits: &DigestLimits) -> Result<Digest, ResourceError> {
    Ok(file_digests(root, limits)?.tree())
}

/// The digest of every file of a skill, if it is within `limits`.
pub fn file_digests(root: &SkillRoot, limits: &DigestLimits) -> Result<FileDigests, ResourceError> {
    hashed(root, limits, None, &|_| false)
}

/// The digest of every file of a skill, without the paths that are left out as litter.
pub fn file_digests_without(
    root: &SkillRoot,
    limits: &DigestLimits,
    is_left_out: &dyn Fn(&str) -> bool,
) -> Result<FileDigests, ResourceError> {
    hashed(root, limits, None, is_left_out)
}

/// A copy of a skill, byte for byte what its digest says.
#[derive(Debug, Clone)]
pub struct SkillCopy {
    /// The tree digest.
    pub digest: Digest,
    /// The files with their digests, in byte order of their paths.
    pub files: Vec<(String, Digest)>,
}

/// Copies a skill's regular files into an empty folder while hashing them: whatever happens to
/// the skill afterwards, the copy is what was hashed.
pub fn copy_hashed(
    root: &SkillRoot,
    limits: &DigestLimits,
    into: &Path,
) -> Result<SkillCopy, ResourceError> {
    let found = hashed(root, limits, Some(into), &|_| false)?;
    let digest = found.tree();
    let files = found.files.into_iter();
    Ok(SkillCopy {
        digest,
        files: files.map(|file| (file.path, file.digest)).collect(),
    })
}

fn hashed(
    root: &SkillRoot,
    limits: &DigestLimits,
    copy: Option<&Path>,
    is_left_out: &dyn Fn(&str) -> bool,
) -> Result<FileDigests, ResourceError> {
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let mut hashing = Hashing {
        found: FileDigests::default(),
        limits,
        copy,
        bytes: 0,
        buffer: vec![0; 64 * 1024],
    };
    walk_without(folder, "", is_left_out, &mut |visit| {
        hashing.add(visit).map(|()| WalkStep::On)
    })?;
    Ok(hashing.found)
}

struct Hashing<'a> {
    found: FileDigests,
    limits: &'a DigestLimits,
    copy: Option<&'a Path>,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Hashing<'_> {
    fn add(&mut self, visit: Visit<'_>) -> Result<(), ResourceError> {
        let (path, folder, name) = match visit {
            Visit::File {
                path, folder, name, ..
            } => (path, folder, name),
            Visit::Link(link) => {
                let leads = link.digest()?;
                self.found.links.push((link.path.to_owned(), leads));
                self.found.others.push(link.text().into_owned());
                return Ok(());
            }
            Visit::Litter { path } => {
                self.found.litter.push(path);
                return Ok(());
            }
            Visit::Other {
                path,
                reason: ResourceError::NotRegular { kind, .. },
            } => {
                let kind = Digest::of(kind.to_string().as_bytes());
                self.found.specials.push((path.clone(), kind));
                self.found.others.push(path);
                return Ok(());
            }
            Visit::Other { reason, .. } => return Err(reason),
        };
        if self.found.files.len() + self.found.nameless.len() == self.limits.max_files {
            let limit = self.limits.max_files;
            return Err(ResourceError::TooManyFiles { limit });
        }
        let text = String::from_utf8_lossy(path);
        let opened = openat(folder, name, FILE, Mode::empty());
        let (file, metadata) = regular(&text, opened.map_err(|error| explain(&text, error))?)?;
        let executable = metadata.mode() & OWNER_EXECUTES != 0;
        let mut copy = self.copy(path, executable)?;
        let digest = self.content(&text, file, copy.as_mut())?;
        match text {
            Cow::Borrowed(text) if !text.contains(char::is_control) => {
                self.found.files.push(FileDigest {
                    path: text.to_owned(),
                    executable,
                    digest,
                });
            }
            text => {
                let nameless = (path.to_owned(), executable, digest);
                self.found.nameless.push(nameless);
                self.found.unnamed.push(shown(&text));
            }
        }
        Ok(())
    }

    /// The new file for a copy. The paths of a walk consist of names and never lead upwards.
    fn copy(&self, path: &[u8], executable: bool) -> Result<Option<File>, ResourceError> {
        let Some(folder) = self.copy else {
            return Ok(None);
        };
        let target = folder.join(OsStr::from_bytes(path));
        let mode = if executable { 0o755 } else { 0o644 };
        let create = || {
            std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
            let mut options = OpenOptions::new();
            options
                .write(true)
                .create_new(true)
                .mode(mode)
                .open(&target)
        };
        let copy = create().map(Some);
        copy.map_err(|source| unwritten(&String::from_utf8_lossy(path), source))
    }

    fn content(
        &mut self,
        path: &str,
        mut file: File,
        mut copy: Option<&mut File>,
    ) -> Result<Digest, ResourceError> {
        let mut content = ContentDigest::default();
        loop {
            let count = file
                .read(&mut self.buffer)
                .map_err(|source| failed(path, source))?;
            if count == 0 {
                return Ok(content.finish());
            }
            self.bytes += count as u64;
            if self.bytes > self.limits.max_bytes {
                let limit = self.limits.max_bytes;
                return Err(ResourceError::TooManyBytes { limit });
            }
            content.add(&self.buffer[..count]);
            if let Some(copy) = &mut copy {
                let written = copy.write_all(&self.buffer[..count]);
                written.map_err(|source| unwritten(path, source))?;
            }
        }
    }
}

fn failed(path: &str, source: io::Error) -> ResourceError {
    ResourceError::Io {
        path: path.to_owned(),
        source,
    }
}

fn unwritten(path: &str, source: io::Error) -> ResourceError {
    ResourceError::Copy {
        path: path.to_owned(),
        source,
    }
}

/// The files of a skill by their content.
#[derive(Debug, Default)]
pub struct FileDigests {
    /// The regular files.
    pub files: Vec<FileDigest>,
    /// What programs left behind that only use the skill, and what is left out; no part of the tree
    /// digest.
    pub litter: Vec<String>,
    /// Links, with the digests of where they lead.
    pub(super) links: Vec<(Vec<u8>, Digest)>,
    /// Regular files with unreadable names.
    pub(super) nameless: Vec<(Vec<u8>, bool, Digest)>,
    /// Pipes and the like, with the digests of what they are.
    pub(super) specials: Vec<(String, Digest)>,
    /// Links, pipes and the like, of which nothing is read.
    pub others: Vec<String>,
    /// The files with unreadable names, as they are shown.
    pub unnamed: Vec<String>,
}

impl FileDigests {
    /// The digest of a file, if it is one of the skill.
    pub fn of(&self, path: &str) -> Option<Digest> {
        let found = self.files.iter().find(|file| file.path == path);
        found.map(|file| file.digest)
    }

    /// The tree digest.
    pub fn tree(&self) -> Digest {
        let mut tree = TreeDigest::default();
        for file in &self.files {
            tree.add(&file.path, file.executable, file.digest);
        }
        for (path, executable, content) in &self.nameless {
            tree.add(path, *executable, *content);
        }
        for (path, leads) in &self.links {
            tree.add_link(path, *leads);
        }
        for (path, kind) in &self.specials {
            tree.add_special(path, *kind);
        }
        tree.finish()
    }
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

/// The stamps of all files of a skill.
pub(crate) struct Stamps {
    /// Differs when any stamp does.
    pub(crate) all: Digest,
    /// When a file was changed last, in nanoseconds since 1970.
    pub(crate) last: i64,
}

/// The stamps of the files that the tree digest is made of.
pub(crate) fn stamps(root: &SkillRoot) -> Result<Stamps, ResourceError> {
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let (mut key, mut last) = (Vec::new(), 0);
    walk(folder, "", &mut |visit| {
        match visit {
            Visit::File { path, stat, .. } => {
                let stamp = Stamp::of(stat);
                last = last.max(stamp.changed);
                key.extend_from_slice(path);
                let _ = writeln!(key, "\0{stamp:?}");
            }
            Visit::Link(link) => {
                let stamps = link.stamps();
                let changed = stamps.iter().flatten().map(|stamp| stamp.changed);
                last = changed.fold(last, i64::max);
                key.extend_from_slice(link.path);
                let _ = writeln!(key, "\0{stamps:?}");
            }
            Visit::Litter { .. } => {}
            Visit::Other {
                path,
                reason: ResourceError::NotRegular { kind, .. },
            } => {
                let _ = writeln!(key, "{path}\0{kind}");
            }
            Visit::Other { reason, .. } => return Err(reason),
        }
        Ok(WalkStep::On)
    })?;
    let all = Digest::of(&key);
    Ok(Stamps { all, last })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_snapshot_is_what_was_hashed() {
        let (skill, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(skill.path().join("scripts/lib")).unwrap();
        fs::write(skill.path().join("SKILL.md"), "x").unwrap();
        fs::write(skill.path().join("scripts/lib/a.py"), vec![7; 200_000]).unwrap();
        let run = skill.path().join("scripts/run.sh");
        fs::write(&run, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).unwrap();
        // A link is not copied.
        symlink("/etc/passwd", skill.path().join("link")).unwrap();
        let root = SkillRoot::open(skill.path()).unwrap();
        let limits = DigestLimits::USUAL;
        let made = copy_hashed(&root, &limits, copy.path()).unwrap();
        let paths: Vec<&str> = made.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "scripts/lib/a.py", "scripts/run.sh"]);
        assert_eq!(made.files[0].1, Digest::of(b"x"));
        assert_eq!(made.digest, digest(&root).unwrap());
        let copied = SkillRoot::open(copy.path()).unwrap();
        assert_ne!(made.digest, digest(&copied).unwrap());
        fs::remove_file(skill.path().join("link")).unwrap();
        assert_eq!(digest(&root).unwrap(), digest(&copied).unwrap());
        assert!(!copy.path().join("link").exists());
        // A folder that has something in it already is not written over.
        assert!(copy_hashed(&root, &limits, copy.path()).is_err());
    }
}
