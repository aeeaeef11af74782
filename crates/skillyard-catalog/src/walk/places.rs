//! The paths of the folders in one folder, made without asking for memory for each.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Makes the paths of one folder's entries, in one buffer.
#[derive(Debug, Clone)]
pub(super) struct Places {
    bytes: Vec<u8>,
    /// How many bytes come before an entry's name.
    parent: usize,
}

impl Places {
    /// The entries of `folder`.
    pub(super) fn below(folder: &Path) -> Self {
        // With an empty name, whatever separates it from the folder is there already.
        let bytes = folder.join("").into_os_string().into_encoded_bytes();
        Self {
            parent: bytes.len(),
            bytes,
        }
    }

    /// The path of the entry `name`, and the path of its `SKILL.md` from the folder and as a whole.
    pub(super) fn of(&mut self, name: &str) -> (&Path, &Path, &Path) {
        self.bytes.truncate(self.parent);
        self.bytes.extend_from_slice(name.as_bytes());
        let end = self.bytes.len();
        self.bytes.extend_from_slice(b"/SKILL.md");
        let path = |bytes| Path::new(OsStr::from_bytes(bytes));
        (
            path(&self.bytes[..end]),
            path(&self.bytes[self.parent..]),
            path(&self.bytes),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_that_joining_makes() {
        for folder in ["/a/b", "/a/b/", "/", "", ".", "a"] {
            let folder = Path::new(folder);
            let mut places = Places::below(folder);
            for name in ["long-name", "x"] {
                let entry = folder.join(name);
                let below = Path::new(name).join("SKILL.md");
                let file = entry.join("SKILL.md");
                let made = places.of(name);
                assert_eq!(made, (&*entry, &*below, &*file));
                assert_eq!(made.0.as_os_str(), entry.as_os_str());
            }
        }
    }
}
