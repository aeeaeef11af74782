//! A skill as bytes in memory: read once, so that what was checked is what is written.
//!
//! Symbolic links, pipes and devices are refused rather than left out: a skill whose digest
//! does not cover all of it cannot be pinned.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_format::Digest;
use skillyard_format::package::TreeDigest;
use skillyard_format::package::archive::{EntryProblem, Limits};
use skillyard_format::skill::misspelled;

use crate::owner::Owner;

mod alike;
mod delivered;
mod ignored;
mod line_ends;
mod outline;
mod paths;
mod reader;
mod secrets;
mod stamp;
mod writer;

pub use delivered::Undelivered;
pub use ignored::{Ignored, Unasked};
pub use line_ends::LineEnds;
pub use outline::Outline;

pub(crate) use stamp::Fingerprint;

/// What is never part of a skill.
const LEFT_OUT: [&str; 1] = [".git"];

/// How large a skill may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeLimits {
    /// Most files.
    pub files: usize,
    /// Most bytes in all files together.
    pub bytes: u64,
    /// Most folders below each other.
    pub depth: usize,
}

impl TreeLimits {
    /// What lies on this machine already: what was installed under any limit can still be read,
    /// and removed.
    pub const HERE: Self = Self {
        files: 100_000,
        bytes: 1 << 30,
        depth: 64,
    };

    /// The limits of an archive that is one such skill.
    pub fn of_archive(&self) -> Limits {
        Limits::skill().raised(self.files as u64, self.bytes)
    }
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self {
            files: 512,
            bytes: 16 << 20,
            depth: 16,
        }
    }
}

/// Who may change the files of a tree that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteAccess {
    /// The user, as any file of theirs.
    Editable,
    /// Nobody, because links may lead there.
    ReadOnly,
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Where it is below the skill's folder, separated by `/`.
    pub path: String,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// All files of a skill, sorted by path, with the digest over them.
#[derive(Debug, Clone)]
pub struct Tree {
    files: Vec<TreeFile>,
    digest: Digest,
    /// What lay with them where they came from.
    left_out: Vec<String>,
    /// What of that git ignores there.
    ignored: Vec<String>,
    /// Why git could not be asked what it ignores there, if so.
    unasked: Option<Arc<Unasked>>,
    /// Whether there was a repository in the folder that they came from, which is not its own.
    holds_repository: bool,
}

/// Why a folder is not a tree of plain files within the limits.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The disk refused.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The disk refused.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A link, a pipe or a device.
    #[error("`{path}` is {kind}, and a skill may hold only files and folders")]
    NotAFile {
        /// Where it is below the skill's folder.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// A name that is not text or cannot be written everywhere.
    #[error("`{0}` is not a name that every system can have")]
    Name(String),
    /// A path that no skill may have, wherever it comes from.
    #[error("`{path}` {problem}")]
    Path {
        /// Where it is below the skill's folder.
        path: String,
        /// What is wrong with it.
        problem: EntryProblem,
    },
    /// Two names that some systems take for one.
    #[error("`{0}` and `{1}` are the same name on some systems")]
    SameName(String, String),
    /// More than the limit.
    #[error("it has more than {0} files")]
    Files(usize),
    /// More than can be looked through where it is used.
    #[error("it has more than {0} folders")]
    Folders(usize),
    /// More than the limit.
    #[error("its files have more than {0} bytes")]
    Bytes(u64),
    /// More than the limit.
    #[error("`{0}` lies too deep")]
    Depth(String),
}

impl Tree {
    /// The tree of these files, whose paths must be those of a skill: an archive, a commit and a
    /// folder are held to the same.
    pub fn new(files: Vec<TreeFile>) -> Result<Self, TreeError> {
        let tree = Self::of_any_names(files)?;
        paths::check(&tree.paths())?;
        Ok(tree)
    }

    /// The paths of all files, sorted.
    fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.path.as_str()).collect()
    }

    /// The tree of files that are on this machine already: what was installed before there was a
    /// limit can still be read, and removed.
    pub(crate) fn of_any_names(mut files: Vec<TreeFile>) -> Result<Self, TreeError> {
        files.retain(|file| !file.path.split('/').any(is_left_out));
        if let Some(file) = files.iter().find(|file| !paths::is_inside(&file.path)) {
            return Err(TreeError::Name(file.path.clone()));
        }
        files.sort_unstable_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        let sorted: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        paths::same_names(&sorted)?;
        let digest = digest(&files);
        Ok(Self {
            files,
            digest,
            left_out: Vec::new(),
            ignored: Vec::new(),
            unasked: None,
            holds_repository: false,
        })
    }

    /// Reads the folder, following no link.
    pub fn read(folder: &Path, limits: &TreeLimits) -> Result<Self, TreeError> {
        Self::new(reader::read(folder, limits, |_, _| false)?)
    }

    /// The same of what was installed here.
    pub(crate) fn read_any_names(folder: &Path, limits: &TreeLimits) -> Result<Self, TreeError> {
        Self::of_any_names(reader::read(folder, limits, |_, _| false)?)
    }

    /// The same, with what tells later whether anybody touched a file since; nothing where that
    /// cannot be told yet.
    pub(crate) fn read_stamped(
        folder: &Path,
        limits: &TreeLimits,
    ) -> Result<(Self, Option<Fingerprint>), TreeError> {
        let (files, marks) = reader::read_marked(folder, limits, |_, _| false)?;
        let paths = files.iter().map(|file| file.path.as_str());
        let stamp = Fingerprint::of_read(paths.zip(marks));
        Ok((Self::of_any_names(files)?, stamp))
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[TreeFile] {
        &self.files
    }

    /// The files as [the scanner](skillyard_scan::scan) takes them.
    pub fn to_scan(&self) -> Vec<skillyard_scan::File<'_>> {
        let files = self.files.iter();
        let files = files.map(|each| skillyard_scan::File {
            path: &each.path,
            bytes: &each.bytes,
            executable: each.executable,
        });
        files.collect()
    }

    /// The digest over all files.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The content of one file.
    pub fn get(&self, path: &str) -> Option<&TreeFile> {
        self.files
            .binary_search_by(|file| file.path.as_bytes().cmp(path.as_bytes()))
            .ok()
            .map(|at| &self.files[at])
    }

    /// The `SKILL.md`, or the `skill.md` that stands for it.
    pub fn skill_file(&self) -> Option<&TreeFile> {
        self.get("SKILL.md").or_else(|| self.get("skill.md"))
    }

    /// The file that only some systems take for its `SKILL.md`, where there is none.
    pub fn misspelled_file(&self) -> Option<&str> {
        misspelled(self.files.iter().map(|file| file.path.as_str()))
    }

    /// The bytes of all files together.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }

    /// The paths at which another tree has another file, none or one more.
    pub fn difference(&self, other: &Self) -> Vec<String> {
        let is_other = |file: &&TreeFile, tree: &Self| tree.get(&file.path) != Some(file);
        let ours = self.files.iter().filter(|file| is_other(file, other));
        let theirs = other.files.iter().filter(|file| is_other(file, self));
        let mut paths: Vec<String> = ours.chain(theirs).map(|file| file.path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Writes the files into `folder`, which must not exist yet.
    pub fn write(&self, folder: &Path, access: WriteAccess) -> Result<(), TreeError> {
        writer::write(self, folder, access, None)
    }

    /// Waits until what was written into a folder is on the disk.
    pub(crate) fn sync(&self, folder: &Path) -> io::Result<()> {
        writer::sync(self, folder)
    }

    /// Writes the files into a new `folder`; what root writes is given to `owner`.
    pub(crate) fn write_for(
        &self,
        owner: Option<Owner>,
        folder: &Path,
        access: WriteAccess,
    ) -> Result<(), TreeError> {
        writer::write(self, folder, access, owner)
    }
}

fn digest(files: &[TreeFile]) -> Digest {
    let mut digest = TreeDigest::default();
    for file in files {
        digest.add(&file.path, file.executable, Digest::of(&file.bytes));
    }
    digest.finish()
}

fn is_left_out(name: &str) -> bool {
    LEFT_OUT.iter().any(|each| name.eq_ignore_ascii_case(each))
}
