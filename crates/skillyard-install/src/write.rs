//! Replacing a file so that readers see the old one or the new one.

use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use skillyard_catalog::private_dir;

/// What others than the owner may do.
const OTHERS: u32 = 0o077;

/// Writes `bytes` beside `path`, waits until they are on the disk, and puts them in its place.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = StagedFile::write(path, bytes)?;
    draft.file.sync_all()?;
    draft.publish()
}

/// What stands where a folder on the way to a path should be; the path itself where nothing does.
pub(crate) fn in_the_way(path: &Path) -> &Path {
    let mut around = path.ancestors().skip(1);
    around.find(|each| each.is_file()).unwrap_or(path)
}

/// A file that is whole, beside the one whose place it takes; it goes if it is not published.
///
/// The caller keeps others from writing the same file. The file beside it always has the same
/// name, so that one which a killed process left is used up by the next.
#[derive(Debug)]
pub(crate) struct StagedFile {
    path: PathBuf,
    beside: PathBuf,
    file: File,
    state: StagedFileState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StagedFileState {
    Beside,
    Published,
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if self.state == StagedFileState::Beside {
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

impl StagedFile {
    /// Writes it, without waiting for the disk.
    pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            // Only one of Skillyard's own is ever missing.
            private_dir::create(folder)?;
        }
        let beside = beside(path);
        // It may be a stranger's, or a link that leads elsewhere.
        match std::fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // A lock is for everyone who works on the project; what it had is kept.
        let mode = std::fs::metadata(path).map(|found| found.permissions().mode() & 0o777);
        let file = File::options()
            .write(true)
            .create_new(true)
            .mode(mode.as_ref().map_or_else(|_| new_mode(path), |mode| *mode))
            .open(&beside)?;
        if let Ok(mode) = mode {
            // The user's mask is for what is new.
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        leave_to_owner(&file, path)?;
        let mut draft = Self {
            path: path.to_owned(),
            beside,
            file,
            state: StagedFileState::Beside,
        };
        // On a full disk the half of it that was written goes with it.
        draft.file.write_all(bytes)?;
        Ok(draft)
    }

    /// Where it will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs all files to disk.
    pub(crate) fn sync_all(drafts: &[Self]) -> io::Result<()> {
        drafts.iter().try_for_each(|draft| draft.file.sync_all())
    }

    /// Syncs the file to disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Puts it in its place.
    ///
    /// The folder is not synced: a rename that a power cut takes back leaves the old file,
    /// and the journal, which is removed after it, still knows the new one.
    pub(crate) fn publish(mut self) -> io::Result<()> {
        std::fs::rename(&self.beside, &self.path)?;
        self.state = StagedFileState::Published;
        Ok(())
    }
}

/// Root takes no file from whom it belongs to, or from whom its folder does.
fn leave_to_owner(file: &File, path: &Path) -> io::Result<()> {
    let folder = || path.parent().unwrap_or(path).metadata();
    let Ok(owner) = std::fs::metadata(path).or_else(|_| folder()) else {
        return Ok(());
    };
    if file.metadata()?.uid() == 0 && owner.uid() != 0 {
        std::os::unix::fs::fchown(file, Some(owner.uid()), Some(owner.gid()))?;
    }
    Ok(())
}

/// The mode of a file that is new, less what the user's mask takes away. In a folder that is closed to
/// others, as Skillyard's own is, nobody else is to change it.
fn new_mode(path: &Path) -> u32 {
    let folder = path.parent().and_then(|folder| folder.metadata().ok());
    let is_closed = folder.is_some_and(|folder| folder.permissions().mode() & OTHERS == 0);
    if is_closed { 0o644 } else { 0o666 }
}

/// Where the draft of a file is.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    path.with_file_name(name)
}
