//! A tree written into a fresh folder.
//!
//! Everything is made relative to the open folder: walking the whole path again for each of many
//! small files takes as long as making them.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use super::{Access, Tree, TreeError, TreeFile};
use crate::owner::Owner;
use crate::write::start_writing;

/// Writes the files into `folder`, which must not exist yet; what root writes is its owner's.
pub(super) fn write(
    tree: &Tree,
    folder: &Path,
    access: Access,
    owner: Option<Owner>,
) -> Result<(), TreeError> {
    let failed = |path: &str, source: io::Error| TreeError::Write {
        path: folder.join(path),
        source,
    };
    let opened = fresh(CWD, folder).map_err(|source| failed("", source))?;
    let owner = owner.and_then(|owner| owner.of_made(&opened));
    let mut last = "";
    for file in tree.files() {
        // Sorted by path, so the files of a folder follow each other.
        let parent = file.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        if parent != last && !parent.is_empty() {
            let made = folders(opened.as_fd(), parent, owner);
            made.map_err(|source| failed(parent, source))?;
        }
        last = parent;
        let written = write_file(opened.as_fd(), tree, file, access);
        let written = written.map_err(|source| failed(&file.path, source))?;
        if let Some(owner) = owner {
            owner.take(&written);
        }
    }
    if let Some(owner) = owner {
        owner.take(&opened);
    }
    Ok(())
}

/// Waits until the files of a tree that was written into a folder are on the disk.
pub(super) fn sync(tree: &Tree, folder: &Path) -> io::Result<()> {
    let files = || tree.files().iter().map(|file| folder.join(&file.path));
    // All are on their way before the first is waited for. Many skills are written at once, so that
    // no more than one file is open.
    for path in files() {
        start_writing(&File::open(path)?);
    }
    for path in files().chain([folder.to_owned()]) {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

fn fresh(root: BorrowedFd<'_>, folder: &Path) -> io::Result<File> {
    mkdirat(root, folder, Mode::from_raw_mode(0o777))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(openat(root, folder, flags, Mode::empty())?))
}

/// Makes a folder and those it lies in.
fn folders(root: BorrowedFd<'_>, path: &str, owner: Option<Owner>) -> io::Result<()> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    for end in ends.chain([path.len()]) {
        let folder = &path[..end];
        let made = match owner {
            None => mkdirat(root, folder, Mode::from_raw_mode(0o777)).map_err(io::Error::from),
            Some(owner) => fresh(root, Path::new(folder)).map(|made| owner.take(&made)),
        };
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn write_file(
    root: BorrowedFd<'_>,
    tree: &Tree,
    file: &TreeFile,
    access: Access,
) -> io::Result<File> {
    let mode = match (access, file.executable) {
        // As other programs make files: the user's mask takes away what others may not do.
        (Access::Editable, true) => 0o777,
        (Access::Editable, false) => 0o666,
        (Access::ReadOnly, true) => 0o555,
        (Access::ReadOnly, false) => 0o444,
    };
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let opened = openat(root, file.path.as_str(), flags, Mode::from_raw_mode(mode))?;
    let mut opened = File::from(opened);
    if !tree.lends(file, &mut opened)? {
        opened.write_all(&file.bytes)?;
    }
    Ok(opened)
}
