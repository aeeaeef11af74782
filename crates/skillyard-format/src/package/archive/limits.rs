//! How much of anything an archive may have.

use super::error::EntryProblem;
use super::error::LimitProblem;
use super::path::ArchivePath;

const MIB: u64 = 1024 * 1024;

/// Content up to here may grow at any ratio: small files of one character are no bombs.
pub(crate) const RATIO_FREE_BYTES: u64 = MIB;

/// The limits of an archive; both passes hold to them, whatever headers say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The archive itself, compressed.
    pub archive_bytes: u64,
    /// All content together.
    pub total_bytes: u64,
    /// The content of one file.
    pub file_bytes: u64,
    /// Entries of every kind.
    pub entries: u64,
    /// Files that would be delivered.
    pub files: u64,
    /// How many times content may be larger than its compressed form, past the first MiB.
    pub ratio: u64,
    /// Bytes in one path.
    pub path_bytes: usize,
    /// Bytes in one name of a path.
    pub component_bytes: usize,
    /// Names in one path.
    pub depth: usize,
    /// Bytes in all paths together.
    pub names_bytes: u64,
}

impl Limits {
    /// One skill: what may be installed unless the user raises it.
    pub fn skill() -> Self {
        Self {
            archive_bytes: 32 * MIB,
            total_bytes: 16 * MIB,
            file_bytes: 16 * MIB,
            entries: 2_000,
            files: 512,
            ratio: 200,
            path_bytes: 240,
            component_bytes: 128,
            depth: 16,
            names_bytes: MIB,
        }
    }

    /// The same for skills of more files and bytes, where the user lets them be larger.
    #[must_use]
    pub fn raised(self, files: u64, bytes: u64) -> Self {
        Self {
            archive_bytes: self.archive_bytes.max(bytes.saturating_mul(2)),
            total_bytes: self.total_bytes.max(bytes),
            file_bytes: self.file_bytes.max(bytes),
            entries: self.entries.max(files.saturating_mul(4)),
            files: self.files.max(files),
            names_bytes: self.names_bytes.max(files.saturating_mul(256)),
            ..self
        }
    }

    /// A whole repository, as a git host serves it, of which some folders are wanted.
    pub fn repository() -> Self {
        Self {
            archive_bytes: 1024 * MIB,
            total_bytes: 2048 * MIB,
            file_bytes: 2048 * MIB,
            entries: 200_000,
            files: 200_000,
            ratio: 200,
            path_bytes: 1_024,
            component_bytes: 255,
            depth: 64,
            names_bytes: 32 * MIB,
        }
    }

    /// Whether `path` is short and shallow enough.
    pub fn check_path(&self, path: &ArchivePath) -> Result<(), EntryProblem> {
        let text = path.as_str();
        if text.len() > self.path_bytes {
            return Err(EntryProblem::PathTooLong {
                actual: text.len(),
                limit: self.path_bytes,
            });
        }
        let depth = path.components().count();
        if depth > self.depth {
            return Err(EntryProblem::TooDeep {
                actual: depth,
                limit: self.depth,
            });
        }
        match path.components().map(str::len).max() {
            Some(actual) if actual > self.component_bytes => Err(EntryProblem::ComponentTooLong {
                actual,
                limit: self.component_bytes,
            }),
            _ => Ok(()),
        }
    }

    /// Whether this many files with this many bytes are accepted.
    pub(crate) fn check_counts(&self, files: u64, bytes: u64) -> Result<(), LimitProblem> {
        if files > self.files {
            return Err(LimitProblem::Files { limit: self.files });
        }
        if bytes > self.total_bytes {
            return Err(LimitProblem::TotalBytes {
                limit: self.total_bytes,
            });
        }
        Ok(())
    }

    /// Whether `unpacked` bytes out of `packed` ones are too many to be honest.
    pub(crate) fn is_bomb(&self, packed: u64, unpacked: u64) -> bool {
        unpacked > RATIO_FREE_BYTES && unpacked / self.ratio.max(1) > packed
    }
}

/// What becomes of links, of names that not every system can hold, and of single bombs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnBlemish {
    /// The archive is refused.
    Refuse,
    /// The entry is left out and listed, and the caller refuses the skill it lies in.
    Report,
}

/// Everything an archive is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// How much.
    pub limits: Limits,
    /// How strict.
    pub on_blemish: OnBlemish,
}

impl Rules {
    /// For an archive that is one skill.
    pub fn skill() -> Self {
        Self {
            limits: Limits::skill(),
            on_blemish: OnBlemish::Refuse,
        }
    }

    /// For an archive of a repository.
    pub fn repository() -> Self {
        Self {
            limits: Limits::repository(),
            on_blemish: OnBlemish::Report,
        }
    }
}
