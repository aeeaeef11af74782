//! Files that belong to one user: read with limits, replaced as a whole, changed by one at a
//! time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use skillyard_catalog::path_probe::dangling_link;
use skillyard_catalog::private_dir;

use crate::error::CommandError;
use crate::files::check_ours;

/// Nobody writes a configuration of this size by hand.
const MAX_BYTES: u64 = 1 << 20;

/// Whose file it is, which decides what is believed about its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user's: readable for them alone, and they may have put a link there.
    User,
    /// A project's: others read it, and a link in it may have been put there by anyone.
    Project,
}

/// The text of a file.
#[derive(Debug, Default)]
pub(crate) struct FileText {
    /// The text; empty when there is no file.
    pub(crate) text: String,
    /// Who may do what with it.
    pub(crate) mode: u32,
}

/// The text of the user's file; nothing when it is not there.
pub(crate) fn read_text(path: &Path) -> Result<String, CommandError> {
    Ok(read(path, Owner::User)?.text)
}

/// The text of a file; nothing when it is not there.
pub(crate) fn read(path: &Path, owner: Owner) -> Result<FileText, CommandError> {
    Ok(existing(path, owner)?.unwrap_or_default())
}

/// The text of the user's file, where an empty file is another thing than none.
pub(crate) fn existing_text(path: &Path) -> Result<Option<String>, CommandError> {
    Ok(existing(path, Owner::User)?.map(|text| text.text))
}

fn existing(path: &Path, owner: Owner) -> Result<Option<FileText>, CommandError> {
    let refused = |reason: &str| CommandError::Refused {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    if owner == Owner::Project && (is_link(path) || path.parent().is_some_and(is_link)) {
        return Err(refused("a project's configuration may not be a link"));
    }
    let failed = |source: io::Error| CommandError::Read {
        path: path.to_owned(),
        source,
    };
    let Some(file) = open(path, owner)? else {
        return Ok(None);
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(refused("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(refused("it is larger than 1 MiB"));
    }
    Ok(Some(FileText {
        text: String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))?,
        mode: metadata.mode(),
    }))
}

/// Opens a file; nothing when it is not there. A link to nothing is no missing file: what it leads to
/// may be on a disk that is not mounted now, and say what is forbidden.
fn open(path: &Path, owner: Owner) -> Result<Option<File>, CommandError> {
    let open = |flags: OFlags| {
        // A pipe would let us wait for ever.
        let flags = flags | OFlags::NONBLOCK;
        OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)
    };
    let opened = match open(OFlags::NOFOLLOW) {
        Err(error) if is_missing(&error) => {
            refuse_dangling(path)?;
            return Ok(None);
        }
        Err(error)
            if owner == Owner::User && error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) =>
        {
            refuse_dangling(path)?;
            open(OFlags::empty())
        }
        opened => opened,
    };
    opened.map(Some).map_err(|source| CommandError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Fails where there is nothing because a link, on the way or there, leads to nothing.
pub(crate) fn refuse_dangling(path: &Path) -> Result<(), CommandError> {
    match dangling_link(path) {
        Some((link, to)) => Err(CommandError::Dangling { link, to }),
        None => Ok(()),
    }
}

/// Replaces a file that only its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    write(path, bytes, Owner::User)
}

/// Replaces a file, so that there is always the old one or the new one.
pub(crate) fn write(path: &Path, bytes: &[u8], owner: Owner) -> Result<(), CommandError> {
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        if owner == Owner::Project && (is_link(folder) || is_link(path)) {
            return Err(io::Error::other(
                "it is a link, which could lead out of the project",
            ));
        }
        make_folder(folder, owner)?;
        // Who keeps their configuration elsewhere keeps the link to it.
        let path = if is_link(path) {
            path.canonicalize()?
        } else {
            path.to_owned()
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        // Temporary files are made for their owner alone.
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(bytes)?;
        if owner == Owner::Project {
            let mode = path
                .metadata()
                .map_or(0o644, |metadata| metadata.mode() & 0o777);
            temporary
                .as_file()
                .set_permissions(fs::Permissions::from_mode(mode))?;
        }
        temporary.as_file().sync_all()?;
        temporary.persist(&path)?;
        // Else a power cut takes the name back. Not every file system can do it.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    };
    write().map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Waits until nobody else changes what `path` locks; the lock ends with the value.
pub(crate) fn lock(path: &Path) -> Result<File, CommandError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    check_ours(folder)?;
    let lock = || -> io::Result<File> {
        make_folder(folder, Owner::User)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)?;
        file.lock()?;
        Ok(file)
    };
    lock().map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}

fn make_folder(folder: &Path, owner: Owner) -> io::Result<()> {
    match owner {
        Owner::User => private_dir::create(folder),
        Owner::Project => fs::DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(folder),
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink())
}
