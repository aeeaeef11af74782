//! Whose that is which root makes in a folder of somebody else: theirs, as what lies beside it.
//!
//! Root works in a user's project with `sudo`, and in a container that has it mounted. What stayed
//! root's there would be in the way of its owner for good. Things are given away through what was
//! opened when they were made, and only if they are root's: whoever owns the folder may have put
//! something else there.

use std::fs::File;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Somebody other than root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    user: u32,
    group: u32,
}

impl Owner {
    /// Who owns a folder, or the nearest one around it that is there; nothing if that is root.
    pub(crate) fn around(folder: &Path) -> Option<Self> {
        let mut around = folder.ancestors();
        let found = around.find_map(|each| each.metadata().ok())?;
        (found.uid() != 0).then(|| Self {
            user: found.uid(),
            group: found.gid(),
        })
    }

    /// The same for what was made just now; nothing if root did not make it.
    pub(crate) fn of_made(self, made: &File) -> Option<Self> {
        let is_roots = made.metadata().is_ok_and(|found| found.uid() == 0);
        is_roots.then_some(self)
    }

    /// Gives away what root made just now. Where that cannot be done it is still installed.
    pub(crate) fn take(self, made: &File) {
        let _ = fchown(made, Some(self.user), Some(self.group));
    }

    /// The same of a folder, if root made it.
    pub(crate) fn take_folder(self, folder: &Path) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(folder, flags, Mode::empty());
        let opened = opened.ok().map(File::from);
        if let Some((owner, folder)) = opened.and_then(|made| Some((self.of_made(&made)?, made))) {
            owner.take(&folder);
        }
    }
}
