//! Folders that can only be moved by copying them: those that came with the image of a container.
//!
//! Such a folder lies in a layer below, where nothing can be changed, and the system refuses to give
//! it another place. So it is copied, and removed when the copy is whole. Whoever was interrupted in
//! that leaves a part of it beside the whole copy, and the next one removes that part.

use std::io;
use std::path::Path;

use rustix::fs::RenameFlags;
use skillyard_catalog::private_dir;

use super::{exists, rename};
use crate::existing::{ExistingEntry, look};
use crate::tree::{Tree, TreeError, TreeLimits, WriteAccess};

/// What a copy is called until it is whole; no skill is.
const PART: &str = ".part";

/// Moves a folder of plain files by copying it.
pub(super) fn carry(from: &Path, to: &Path) -> io::Result<()> {
    if !is_rest_of(from, to) {
        // Of anything else a copy could leave something out.
        if !matches!(look(from), ExistingEntry::Folder { .. }) {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let part = to.with_file_name(PART);
        if exists(&part) {
            private_dir::remove(&part)?;
        }
        let tree = Tree::read_any_names(from, &TreeLimits::HERE).map_err(on_disk)?;
        tree.write(&part, WriteAccess::Editable).map_err(on_disk)?;
        tree.sync(&part)?;
        rename(&part, to, RenameFlags::NOREPLACE)?;
    }
    private_dir::remove(from)
}

/// Whether all files of a folder are also in its copy, so that nothing is lost with it.
pub(super) fn is_rest_of(folder: &Path, copy: &Path) -> bool {
    if !exists(copy) || !matches!(look(folder), ExistingEntry::Folder { .. }) {
        return false;
    }
    let read = |path: &Path| Tree::read_any_names(path, &TreeLimits::HERE).ok();
    let (Some(rest), Some(whole)) = (read(folder), read(copy)) else {
        return false;
    };
    let mut rest = rest.files().iter();
    rest.all(|file| {
        let other = whole.get(&file.path);
        other.is_some_and(|other| other.bytes == file.bytes)
    })
}

fn on_disk(error: TreeError) -> io::Error {
    match error {
        TreeError::Read { source, .. } | TreeError::Write { source, .. } => source,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn skill(folder: &Path) {
        fs::create_dir_all(folder.join("scripts")).unwrap();
        fs::write(folder.join("SKILL.md"), "text").unwrap();
        fs::write(folder.join("scripts/run.sh"), "true").unwrap();
    }

    #[test]
    fn a_folder_is_carried_and_what_is_left_of_it_goes() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("skill"), root.path().join("old"));
        skill(&from);
        fs::create_dir(root.path().join(PART)).unwrap();
        carry(&from, &to).unwrap();
        assert!(!from.exists() && !root.path().join(PART).exists());
        assert_eq!(fs::read(to.join("scripts/run.sh")).unwrap(), b"true");
        // As somebody leaves it who is interrupted.
        fs::create_dir(&from).unwrap();
        fs::write(from.join("SKILL.md"), "text").unwrap();
        assert!(is_rest_of(&from, &to));
        carry(&from, &to).unwrap();
        assert!(!from.exists() && to.join("SKILL.md").exists());
    }

    #[test]
    fn nothing_is_lost_that_is_not_in_the_copy() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("skill"), root.path().join("old"));
        skill(&from);
        skill(&to);
        fs::write(from.join("notes.md"), "mine").unwrap();
        assert!(!is_rest_of(&from, &to));
        assert!(carry(&from, &to).is_err());
        assert_eq!(fs::read(from.join("notes.md")).unwrap(), b"mine");
        fs::remove_dir_all(&to).unwrap();
        std::os::unix::fs::symlink("notes.md", from.join("link")).unwrap();
        let error = carry(&from, &to).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::CrossesDevices);
        assert!(from.join("link").is_symlink() && !to.exists());
    }
}
