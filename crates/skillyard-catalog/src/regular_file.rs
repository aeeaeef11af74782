//! Reads files that are not trusted.
//!
//! What comes with a checkout, or is in a folder where scripts run, need not be a file: a pipe
//! opens only when a process writes to it, a device never ends, and a sparse file of a few blocks has
//! more bytes than there is memory. So it is opened without waiting, must be a regular file, and is
//! read up to a limit.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotRead {
    /// It is a link.
    #[error("it is a symbolic link, which could lead anywhere")]
    Link,
    /// A link on the way to it leads to nothing.
    #[error("it lies behind a symbolic link that leads to nothing")]
    Dangling,
    /// It is a pipe, a socket or a device.
    #[error("it is not a file")]
    NotAFile,
    /// It is too large.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
}

impl From<NotRead> for io::Error {
    fn from(reason: NotRead) -> Self {
        Self::new(io::ErrorKind::InvalidInput, reason)
    }
}

impl NotRead {
    /// The reason in an error, if it is one of these.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// What becomes of a link in the place of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is followed.
    Followed,
    /// It is refused.
    Refused,
}

/// Opens a regular file without waiting.
pub fn open(path: &Path, links: Links) -> io::Result<(File, Metadata)> {
    let follow = match links {
        Links::Followed => OFlags::empty(),
        Links::Refused => OFlags::NOFOLLOW,
    };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | follow;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) if links == Links::Refused && path.is_symlink() => {
            return Err(NotRead::Link.into());
        }
        // What a socket answers, and a device that is not there.
        Err(Errno::NXIO | Errno::NODEV) => return Err(NotRead::NotAFile.into()),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    if !metadata.is_file() {
        return Err(NotRead::NotAFile.into());
    }
    Ok((file, metadata))
}

/// All bytes of a file; one with more than `most` is an error.
pub fn read(path: &Path, links: Links, most: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open(path, links)?;
    let bytes = if metadata.len() > most {
        None
    } else {
        // It may grow meanwhile.
        let bytes = start(file, &metadata, most.saturating_add(1))?;
        (bytes.len() as u64 <= most).then_some(bytes)
    };
    bytes.ok_or_else(|| NotRead::TooLarge(most).into())
}

/// The first bytes of a file, wherever it is, at most so many.
pub fn beginning(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open(path, Links::Followed)?;
    start(file, &metadata, most)
}

fn start(file: File, metadata: &Metadata, most: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(metadata.len().min(most)).unwrap_or_default();
    // With room to see that it ends there.
    let mut bytes = Vec::with_capacity(size.saturating_add(64));
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, mknodat};

    use super::*;

    fn refused(path: &Path) -> Option<NotRead> {
        NotRead::of(&read(path, Links::Followed, 8).unwrap_err())
    }

    #[test]
    fn only_a_small_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345678").unwrap();
        assert_eq!(read(&at("file"), Links::Refused, 8).unwrap(), b"12345678");
        assert_eq!(beginning(&at("file"), 2).unwrap(), b"12");
        std::fs::write(at("long"), "123456789").unwrap();
        assert_eq!(refused(&at("long")), Some(NotRead::TooLarge(8)));
        let sparse = File::create(at("sparse")).unwrap();
        sparse.set_len(100 << 30).unwrap();
        assert_eq!(refused(&at("sparse")), Some(NotRead::TooLarge(8)));
        assert_eq!(beginning(&at("sparse"), 2).unwrap(), [0, 0]);
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, at("pipe"), FileType::Fifo, mode, 0).unwrap();
        assert_eq!(refused(&at("pipe")), Some(NotRead::NotAFile));
        let _socket = UnixListener::bind(at("socket")).unwrap();
        assert_eq!(refused(&at("socket")), Some(NotRead::NotAFile));
        assert_eq!(refused(Path::new("/dev/zero")), Some(NotRead::NotAFile));
        let error = read(folder.path(), Links::Followed, 8).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert!(read(&at("link"), Links::Followed, 8).is_ok());
        let error = read(&at("link"), Links::Refused, 8).unwrap_err();
        assert_eq!(NotRead::of(&error), Some(NotRead::Link));
    }
}
