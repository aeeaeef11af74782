//! Tier 3: the files of a skill, as they were at one moment.

use skillyard_catalog::resource::{FileDigests, ReadLimits, ReadRange, Resource, SkillRoot};
use skillyard_format::Digest;

use super::ShelfError;

/// The files of a skill that was hashed; nothing else is read of it.
#[derive(Debug)]
pub struct Hashed {
    pub(super) root: SkillRoot,
    pub(super) files: FileDigests,
    pub(super) limits: ReadLimits,
}

impl Hashed {
    /// What the skill consists of.
    pub fn digest(&self) -> Digest {
        self.files.tree()
    }

    /// A file of it, or a part of one.
    pub fn read(&self, path: &str, range: ReadRange) -> Result<Resource, ShelfError> {
        let (limits, files) = (&self.limits, &self.files);
        Ok(self.root.read_hashed(path, range, limits, files)?)
    }
}
