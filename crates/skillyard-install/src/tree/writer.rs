//! A tree written into a fresh folder.
//!
//! Everything is made relative to the open folder: walking the whole path again for each of many
//! small files takes as long as making them.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use super::{Tree, TreeError, TreeFile, WriteAccess};
use crate::owner::Owner;

/// Writes the files into a new `folder`; what root writes is given to `owner`.
pub(super) fn write(
    tree: &Tree,
    folder: &Path,
    access: WriteAccess,
    owner: Option<Owner>,
) -> Result<(), TreeError> {
    let failed = |path: &str, source: io::Error| failed(folder, path, source);
    let opened = fresh(CWD, folder).map_err(|source| failed("", source))?;
    let owner = owner.and_then(|owner| owner.of_made(&opened));
    let mut last = "";
    for file in tree.files() {
        // Files are sorted by path, so those of one folder follow each other.
        let parent = file.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        if parent != last && !parent.is_empty() {
            let made = folders(opened.as_fd(), parent, owner);
            made.map_err(|source| failed(parent, source))?;
        }
        last = parent;
        let written = make_file(opened.as_fd(), file, access).and_then(|mut made| {
            made.write_all(&file.bytes)?;
            if let Some(owner) = owner {
                owner.take(&made);
            }
            Ok(())
        });
        written.map_err(|source| failed(&file.path, source))?;
    }
    if let Some(owner) = owner {
        owner.take(&opened);
    }
    Ok(())
}

fn failed(folder: &Path, path: &str, source: io::Error) -> TreeError {
    TreeError::Write {
        path: folder.join(path),
        source,
    }
}

/// Syncs the files of a tree that was written into a folder, and the folder.
pub(super) fn sync(tree: &Tree, folder: &Path) -> io::Result<()> {
    let files = tree.files().iter().map(|file| folder.join(&file.path));
    for path in files.chain([folder.to_owned()]) {
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

fn make_file(root: BorrowedFd<'_>, file: &TreeFile, access: WriteAccess) -> io::Result<File> {
    let mode = match (access, file.executable) {
        // As other programs make files: the user's mask takes away what others may not do.
        (WriteAccess::Editable, true) => 0o777,
        (WriteAccess::Editable, false) => 0o666,
        (WriteAccess::ReadOnly, true) => 0o555,
        (WriteAccess::ReadOnly, false) => 0o444,
    };
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let opened = openat(root, file.path.as_str(), flags, Mode::from_raw_mode(mode))?;
    Ok(File::from(opened))
}
