//! Removes skills that are not used any more, and damaged ones.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::private_dir;
use skillyard_format::Digest;

use super::{OLD_FOLDERS, Store, StoreError, archive, as_filed, names};
use crate::flock::Hold;
use crate::lockfile::Lockfile;
use crate::scope::Scope;
use crate::staging::sweep;
use crate::text::text_if_there;

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

/// What links lead to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkedDigests {
    /// Those of projects that are where they were, whatever their locks say by now.
    pub here: BTreeSet<Digest>,
    /// Those of projects that are not.
    pub astray: BTreeSet<Digest>,
    /// All skills of projects that are not, also without links.
    pub elsewhere: BTreeSet<Digest>,
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
            private_dir::create(&folder)?;
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
        let sizes = self.read_each(&unused, |_, tree| tree.map_or(0, |tree| tree.size()));
        for digest in &unused {
            self.remove(&self.archive(*digest))?;
            self.remove(&self.folder(*digest))?;
        }
        for old in OLD_FOLDERS {
            self.remove(&self.root.join(old))?;
        }
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

    /// Hashes everything again and removes what is damaged, while no other process uses the store.
    ///
    /// Returns how many skills are intact, and the errors of the others.
    pub fn mend(&self) -> Result<(usize, Vec<(Digest, StoreError)>), StoreError> {
        let _lock = self.locked(Hold::Alone)?;
        let (sound, bad) = self.verify()?;
        let damaged: Vec<Digest> = bad.iter().map(|(digest, _)| *digest).collect();
        self.discard_damaged(&damaged)?;
        Ok((sound, bad))
    }

    /// Removes the damaged archives among those of `digests`. Folders stay, because links may lead to
    /// them and a difference in one may be a user's edit.
    pub fn discard_damaged(&self, digests: &[Digest]) -> Result<(), StoreError> {
        for digest in digests {
            let path = self.archive(*digest);
            let is_sound = archive::read(&path).is_ok_and(|tree| as_filed(tree, *digest).is_ok());
            if !is_sound {
                self.remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes a file or a folder, if it exists.
    fn remove(&self, path: &Path) -> Result<(), StoreError> {
        let removed = match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => private_dir::remove(path),
            Ok(_) => std::fs::remove_file(path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(error)),
            _ => Ok(()),
        }
    }

    /// What the links of all projects lead to, as the records in Skillyard's own folder say.
    pub fn links(&self, skillyard_home: &Path) -> Result<LinkedDigests, StoreError> {
        let here = self.records_here(skillyard_home)?;
        let folder = skillyard_home.join("placed");
        let records = names(&folder).map_err(|source| self.failed(source))?;
        let records = records.iter().map(|name| folder.join(name));
        let is_record = |path: &PathBuf| path.extension().is_some_and(|each| each == "toml");
        let mut links = LinkedDigests::default();
        for record in records.filter(is_record) {
            // What cannot be read says nothing.
            let text = text_if_there(&record).ok().flatten();
            let placed = text.and_then(|text| Lockfile::parse(&text, &record).ok());
            let placed = placed.unwrap_or_default();
            let linked = placed.skills().iter().filter(|entry| entry.linked);
            let linked = linked.map(|entry| entry.digest);
            if here.contains(&record) {
                links.here.extend(linked);
            } else {
                links.astray.extend(linked);
                let all = placed.skills().iter();
                links.elsewhere.extend(all.map(|entry| entry.digest));
            }
        }
        Ok(links)
    }

    /// The records of the projects that are where they were.
    fn records_here(&self, skillyard_home: &Path) -> Result<BTreeSet<PathBuf>, StoreError> {
        let roots = self.root.join("roots");
        let listed = names(&roots).map_err(|source| self.failed(source))?;
        let locks = listed
            .iter()
            .filter_map(|name| lock_file_of(&roots.join(name)).ok())
            .filter(|lock| lock.exists());
        let records = locks.filter_map(|lock| {
            let scope = Scope::project(lock.parent()?, skillyard_home);
            scope.placed_file()
        });
        Ok(records.collect())
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
fn lock_file_of(root: &Path) -> io::Result<PathBuf> {
    let bytes = std::fs::read(root)?;
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}
