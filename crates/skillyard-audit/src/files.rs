//! The files of the log: `audit.jsonl`, the full ones before it, and `audit.head`.
//!
//! Everything is opened relative to a descriptor of the folder and without following links.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use crate::error::AuditError;

/// How much of the end of a file is read at first: more than nearly every line has.
const TAIL_BYTES: u64 = 64 * 1024;

/// The file that is written.
pub(crate) const CURRENT: &str = "audit.jsonl";
/// Where the log ends, and the lock of all writers.
pub(crate) const HEAD: &str = "audit.head";

/// The folder of the log.
#[derive(Debug)]
pub(crate) struct LogFolder {
    path: PathBuf,
    handle: OwnedFd,
}

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
}

impl FileIdentity {
    pub(crate) fn is_same_file(self, other: Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl LogFolder {
    /// Opens the folder; makes it, for its owner alone, if it is not there.
    pub(crate) fn make(path: &Path) -> Result<Self, AuditError> {
        use std::os::unix::fs::DirBuilderExt as _;
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path);
        made.map_err(|source| AuditError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::open(path)?.ok_or_else(|| AuditError::NotAFile {
            path: path.to_owned(),
        })
    }

    /// Opens the folder, if it is there.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, AuditError> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self {
                path: path.to_owned(),
                handle,
            })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => Err(AuditError::NotAFile {
                path: path.to_owned(),
            }),
            Err(error) => Err(AuditError::Io {
                path: path.to_owned(),
                source: error.into(),
            }),
        }
    }

    /// An error about one of the files.
    pub(crate) fn failed(&self, name: &str, source: impl Into<io::Error>) -> AuditError {
        AuditError::Io {
            path: self.path.join(name),
            source: source.into(),
        }
    }

    /// Opens a file for its owner alone; makes it if it is not there.
    pub(crate) fn open_to_write(&self, name: &str, flags: OFlags) -> Result<File, AuditError> {
        let flags = flags | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.handle, name, flags, Mode::RUSR | Mode::WUSR);
        let file = self.plain(name, file)?;
        // Whoever made it wider, or was asked to by a umask of another time.
        let stat = rustix::fs::fstat(&file).map_err(|error| self.failed(name, error))?;
        if stat.st_mode & 0o077 != 0 {
            rustix::fs::fchmod(&file, Mode::RUSR | Mode::WUSR)
                .map_err(|error| self.failed(name, error))?;
        }
        Ok(file)
    }

    /// Opens a file to read it, if it is there.
    pub(crate) fn open_to_read(&self, name: &str) -> Result<Option<File>, AuditError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => Ok(None),
            file => self.plain(name, file).map(Some),
        }
    }

    fn plain(&self, name: &str, file: rustix::io::Result<OwnedFd>) -> Result<File, AuditError> {
        let not_a_file = || AuditError::NotAFile {
            path: self.path.join(name),
        };
        let file = match file {
            Ok(file) => file,
            // A link, a pipe without a reader, a folder.
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NXIO | rustix::io::Errno::ISDIR) => {
                return Err(not_a_file());
            }
            Err(error) => return Err(self.failed(name, error)),
        };
        let stat = rustix::fs::fstat(&file).map_err(|error| self.failed(name, error))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(not_a_file());
        }
        Ok(File::from(file))
    }

    /// The whole content of a file, if it is there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, AuditError> {
        let Some(mut file) = self.open_to_read(name)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| self.failed(name, error))?;
        Ok(Some(bytes))
    }

    /// The last line of a file, without reading what is before it; nothing if the file is not there.
    pub(crate) fn last_line(&self, name: &str) -> Result<Vec<u8>, AuditError> {
        let Some(mut file) = self.open_to_read(name)? else {
            return Ok(Vec::new());
        };
        let failed = |error| self.failed(name, error);
        let size = file.metadata().map_err(failed)?.len();
        let mut wanted = TAIL_BYTES;
        loop {
            let start = size.saturating_sub(wanted);
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(start)).map_err(failed)?;
            let mut end = (&file).take(size - start);
            end.read_to_end(&mut bytes).map_err(failed)?;
            let text = bytes.trim_ascii_end();
            match memchr::memrchr(b'\n', text) {
                Some(at) => return Ok(text[at + 1..].to_vec()),
                None if start == 0 => return Ok(text.to_vec()),
                None => wanted *= 2,
            }
        }
    }

    /// Which file has a name now.
    pub(crate) fn identity(&self, name: &str) -> Result<Option<FileIdentity>, AuditError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(identity(&stat))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Which file is open.
    pub(crate) fn identity_of(&self, name: &str, file: &File) -> Result<FileIdentity, AuditError> {
        let stat = rustix::fs::fstat(file).map_err(|error| self.failed(name, error))?;
        Ok(identity(&stat))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), AuditError> {
        let renamed = rustix::fs::renameat(&self.handle, from, &self.handle, to);
        renamed.map_err(|error| self.failed(to, error))
    }

    pub(crate) fn remove(&self, name: &str) -> Result<(), AuditError> {
        let removed = rustix::fs::unlinkat(&self.handle, name, AtFlags::empty());
        removed.map_err(|error| self.failed(name, error))
    }

    /// The numbers of the full files, the oldest first.
    pub(crate) fn full_files(&self) -> Result<Vec<u64>, AuditError> {
        let names = self.all_names()?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| number(name)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// All names in the folder that are text.
    pub(crate) fn all_names(&self) -> Result<Vec<String>, AuditError> {
        let entries = rustix::fs::Dir::read_from(&self.handle)
            .map_err(|error| self.failed(CURRENT, error))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| self.failed(CURRENT, error))?;
            names.extend(entry.file_name().to_str().ok().map(str::to_owned));
        }
        Ok(names)
    }

    /// The names of all files, the oldest first.
    pub(crate) fn names(&self) -> Result<Vec<String>, AuditError> {
        let full = self.full_files()?.into_iter().map(full_name);
        Ok(full.chain([CURRENT.to_owned()]).collect())
    }
}

/// The name of a full file: its number sorts.
pub(crate) fn full_name(number: u64) -> String {
    format!("audit.{number:06}.jsonl")
}

fn number(name: &str) -> Option<u64> {
    let number = name
        .strip_prefix("audit.")?
        .strip_suffix(".jsonl")?
        .parse()
        .ok()?;
    (full_name(number) == name).then_some(number)
}

#[expect(
    clippy::useless_conversion,
    reason = "the types of these fields differ by platform"
)]
fn identity(stat: &rustix::fs::Stat) -> FileIdentity {
    FileIdentity {
        device: stat.st_dev.into(),
        inode: stat.st_ino.into(),
        size: u64::try_from(stat.st_size).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_found_however_long_it_is() {
        let place = tempfile::tempdir().unwrap();
        let folder = LogFolder::open(place.path()).unwrap().unwrap();
        let long = "y".repeat(200_000);
        for (text, expected) in [
            (String::new(), ""),
            ("one".to_owned(), "one"),
            ("one\ntwo\n\n".to_owned(), "two"),
            (format!("{}\nend\n", "x".repeat(300_000)), "end"),
            (format!("start\n{long}\n"), &*long),
            (long.clone(), &*long),
        ] {
            std::fs::write(place.path().join("file"), text).unwrap();
            assert_eq!(folder.last_line("file").unwrap(), expected.as_bytes());
        }
        assert!(folder.last_line("missing").unwrap().is_empty());
    }
}
