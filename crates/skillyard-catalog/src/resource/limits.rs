//! What one read of a file may give.

use super::error::ResourceError;
use super::path::RelativePath;

/// Which part of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadRange {
    /// The byte to start from; inside a character, that character is given whole.
    pub offset: u64,
    /// How many bytes are wanted at most; at least one character is given, so that reading goes on.
    pub limit: Option<u64>,
}

/// What one read may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// How many bytes one read gives; more are left to the next one.
    pub max_bytes: u64,
    /// Whether files deeper than one folder may be read.
    pub nested: bool,
    /// What happens to files with several names.
    pub hard_links: HardLinks,
    /// What is given of binary files.
    pub binary: BinaryContent,
    /// What files may be called.
    pub names: Names,
}

/// What files may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// As on every system, because skills go from one to another.
    #[default]
    Portable,
    /// As this system lets them be called; for folders that stay here, such as a workspace.
    Any,
}

/// What happens to files with several names.
///
/// A hard link cannot be told from the file: whoever may write to the skill's folder can give a name in it to any file on
/// the same disk that the system lets them link. In folders only the user writes to there is nobody to do so, and
/// package stores link files there on purpose; the caller knows which folder it is and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// They are read as any other.
    Allow,
    /// They are refused.
    #[default]
    Refuse,
}

/// What is given of binary files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BinaryContent {
    /// The bytes.
    Include,
    /// Size and type only.
    #[default]
    Describe,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_bytes: 2_000_000,
            nested: true,
            hard_links: HardLinks::default(),
            binary: BinaryContent::default(),
            names: Names::default(),
        }
    }
}

impl ReadLimits {
    /// Refuses the path of a file that is not read, whatever it holds.
    pub fn admit(&self, path: &str) -> Result<(), ResourceError> {
        self.admitted(path).map(drop)
    }

    /// The path of a file that may be read.
    pub(super) fn admitted(&self, path: &str) -> Result<RelativePath, ResourceError> {
        let path = match self.names {
            Names::Portable => RelativePath::file(path)?,
            Names::Any => RelativePath::here(path)?,
        };
        if !self.nested && path.components().count() > 2 {
            return Err(ResourceError::Nested {
                path: path.as_str().to_owned(),
            });
        }
        Ok(path)
    }
}
