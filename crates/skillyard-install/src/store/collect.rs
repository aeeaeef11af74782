//! Which skills of the store are still used, and the end of the others.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::own_folder;
use skillyard_format::Digest;

use super::{LinkedDigests, Store, StoreError, names};
use crate::flock::Hold;
use crate::lockfile::Lockfile;
use crate::staging::sweep;

/// What a collection removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collected {
    /// Skills that nobody uses.
    pub removed: usize,
    /// Skills that stay.
    pub kept: usize,
    /// Bytes that are free again.
    pub bytes: u64,
    /// Folders that nobody uses, and that stay because somebody edited them through a link.
    pub edited: Vec<PathBuf>,
    /// Folders that stay only because links of projects may lead to them that are not where they
    /// were.
    pub astray: Vec<PathBuf>,
    /// Locks of projects that cannot be reached.
    pub unreachable: Vec<PathBuf>,
}

/// What becomes of projects that cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// What was put into them stays in the store.
    Keep,
    /// They are forgotten.
    Forget,
}

impl Store {
    /// Remembers that a lock file uses the store.
    pub fn remember(&self, lock_file: &Path) -> Result<(), StoreError> {
        let name = Digest::of(lock_file.as_os_str().as_encoded_bytes()).to_hex();
        let root = self.root.join("roots").join(&name[..32]);
        let length = lock_file.as_os_str().len() as u64;
        let known = root.symlink_metadata();
        // One that a power cut emptied is written again.
        if known.is_ok_and(|found| found.is_file() && found.len() == length) {
            return Ok(());
        }
        // Not under any lock: two that write at once write the same.
        let write = || -> io::Result<()> {
            let folder = self.root.join("roots");
            own_folder::make(&folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            file.write_all(lock_file.as_os_str().as_encoded_bytes())?;
            file.persist(&root)?;
            Ok(())
        };
        write().map_err(|source| self.failed(source))
    }

    /// Removes what no remembered lock names and is not wanted otherwise, and what interrupted
    /// processes left. What links lead to stays, too.
    pub fn collect(
        &self,
        wanted: &BTreeSet<Digest>,
        links: &LinkedDigests,
        unreachable: Unreachable,
    ) -> Result<Collected, StoreError> {
        let _lock = self.locked(Hold::Alone)?;
        let (mut used, away) = self.used(unreachable)?;
        used.extend(wanted.iter().chain(&links.here));
        if !away.is_empty() {
            // Which record is whose cannot be told from here.
            used.extend(&links.elsewhere);
        }
        let (used, unused): (Vec<Digest>, Vec<Digest>) = self
            .list()?
            .iter()
            .partition(|digest| used.contains(digest));
        let (edited, unused): (Vec<Digest>, Vec<Digest>) = unused
            .into_iter()
            .partition(|digest| self.is_edited(*digest));
        let (astray, unused): (Vec<Digest>, Vec<Digest>) = unused
            .into_iter()
            .partition(|digest| links.astray.contains(digest) && self.folder(*digest).is_dir());
        let sizes = self.read_each(&unused, |_, tree| tree.map_or(0, |tree| tree.size()))?;
        self.discard(&unused)?;
        let swept = sweep(&self.root.join("staging"));
        swept.map_err(|source| self.failed(source))?;
        Ok(Collected {
            removed: unused.len(),
            kept: used.len() + edited.len() + astray.len(),
            bytes: sizes.iter().sum(),
            edited: edited.iter().map(|digest| self.folder(*digest)).collect(),
            astray: astray.iter().map(|digest| self.folder(*digest)).collect(),
            unreachable: away,
        })
    }

    /// What the remembered locks name, and those of them that cannot be reached.
    fn used(
        &self,
        unreachable: Unreachable,
    ) -> Result<(BTreeSet<Digest>, Vec<PathBuf>), StoreError> {
        let (mut used, mut away) = (BTreeSet::new(), Vec::new());
        let roots = self.root.join("roots");
        for name in names(&roots).map_err(|source| self.failed(source))? {
            let root = roots.join(&name);
            // A process that was killed left it; those that live would hold the store.
            if name.starts_with('.') {
                let _ = std::fs::remove_file(&root);
                continue;
            }
            let lock_file = lock_file_of(&root).map_err(|source| StoreError::Root {
                path: root.clone(),
                source,
            })?;
            match Lockfile::read(&lock_file) {
                // The project is gone, or nothing is installed in it any more.
                Ok(lock) if lock.skills().is_empty() => {
                    let _ = std::fs::remove_file(&root);
                }
                Ok(lock) => used.extend(lock.skills().iter().map(|each| each.digest)),
                Err(_) if is_out_of_reach(&lock_file) => match unreachable {
                    Unreachable::Keep => away.push(lock_file),
                    Unreachable::Forget => {
                        let _ = std::fs::remove_file(&root);
                    }
                },
                // A lock that cannot be read may name anything.
                Err(source) => return Err(StoreError::Lock { lock_file, source }),
            }
        }
        Ok((used, away))
    }
}

/// Whether a project's folder was closed to us: it may be somebody else's by now.
fn is_out_of_reach(lock_file: &Path) -> bool {
    let found = lock_file.symlink_metadata();
    found.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// The lock that a root stands for. Its path may be no text.
pub(super) fn lock_file_of(root: &Path) -> io::Result<PathBuf> {
    let bytes = std::fs::read(root)?;
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}
