//! Which folder a change was made in, wherever another one is in its place.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

/// A folder, known by its number and by when it was made: numbers are given out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderIdentity {
    number: u64,
    made: u64,
}

impl FolderIdentity {
    /// Nothing where the file system does not know when a folder was made.
    pub fn of(folder: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(folder).ok()?;
        let made = metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            number: metadata.ino(),
            made: u64::try_from(made.as_nanos()).ok()?,
        })
    }

    /// A name for it.
    pub fn digest(self) -> Digest {
        Digest::of(format!("{} {}", self.number, self.made).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_folder_in_the_same_place_is_another() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("project");
        std::fs::create_dir(&folder).unwrap();
        let Some(first) = FolderIdentity::of(&folder) else {
            return;
        };
        std::fs::write(folder.join("file"), "").unwrap();
        assert_eq!(FolderIdentity::of(&folder), Some(first));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(FolderIdentity::of(&folder), None);
        std::fs::create_dir(&folder).unwrap();
        assert_ne!(FolderIdentity::of(&folder), Some(first));
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(
            serde_json::from_str::<FolderIdentity>(&text).unwrap(),
            first
        );
    }
}
