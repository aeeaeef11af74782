//! The text of a file that a stranger may have put there.
//!
//! A lock and a manifest come with a checkout. As a link they could be any file of the user, whose
//! lines an error would show; as a pipe nobody would ever answer; as a device they would never end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use skillyard_catalog::presence::is_there;
use skillyard_catalog::ways::dangling;

/// Most bytes of a lock or a manifest, which is tens of thousands of skills.
const MOST: u64 = 16 << 20;

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotRead {
    /// It is a link.
    #[error("it is a symbolic link, which could lead anywhere")]
    Link,
    /// A link on the way to it leads to nothing.
    #[error("it lies behind a symbolic link that leads to nothing")]
    Dangling,
    /// It is a pipe or a device.
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

/// The text of a file; none where there is no file.
pub(crate) fn text_if_there(path: &Path) -> io::Result<Option<String>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        // It may be on a disk that is not mounted now, and name what was installed.
        Err(Errno::NOENT) if dangling(path).is_some() => return Err(NotRead::Dangling.into()),
        // Where its folder was there may be a file now.
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(Errno::LOOP) if path.is_symlink() => return Err(NotRead::Link.into()),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        // While a script runs in a project, a folder with a mark keeps it from making the file. One
        // without it is somebody's mistake; taken for no file, it would take every skill away.
        return if is_there(path) {
            Err(Errno::ISDIR.into())
        } else {
            Ok(None)
        };
    }
    if !metadata.is_file() {
        return Err(NotRead::NotAFile.into());
    }
    let size = usize::try_from(metadata.len().min(MOST)).unwrap_or_default();
    // With room to see that it ends there.
    let mut text = String::with_capacity(size + 64);
    // It may grow meanwhile.
    file.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(NotRead::TooLarge(MOST).into());
    }
    Ok(Some(text))
}

/// A text with the line ends that another had: who edits a file of Windows gets it back as one.
pub fn with_line_ends_of(original: &str, text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    if original.contains("\r\n") {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn refused(path: &Path) -> Option<NotRead> {
        let error = text_if_there(path).err()?;
        error.get_ref()?.downcast_ref().copied()
    }

    #[test]
    fn only_a_small_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skills.lock");
        assert_eq!(text_if_there(&path).unwrap(), None);
        std::fs::write(&path, "a").unwrap();
        assert_eq!(text_if_there(&path).unwrap().as_deref(), Some("a"));
        let link = folder.path().join("link");
        for to in [path.as_path(), Path::new("/dev/zero"), Path::new("nowhere")] {
            std::os::unix::fs::symlink(to, &link).unwrap();
            assert_eq!(refused(&link), Some(NotRead::Link));
            std::fs::remove_file(&link).unwrap();
        }
        std::os::unix::fs::symlink("unmounted", &link).unwrap();
        for below in ["skills.lock", "deep/skills.lock"] {
            assert_eq!(refused(&link.join(below)), Some(NotRead::Dangling));
        }
        let room = folder.path().join("room");
        std::fs::create_dir(&room).unwrap();
        let error = text_if_there(&room).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        // What keeps a script from making the file is nothing.
        std::fs::set_permissions(&room, std::fs::Permissions::from_mode(0o1500)).unwrap();
        assert_eq!(text_if_there(&room).unwrap(), None);
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        assert_eq!(refused(&pipe), Some(NotRead::NotAFile));
        File::create(&path).unwrap().set_len(MOST + 1).unwrap();
        assert_eq!(refused(&path), Some(NotRead::TooLarge(MOST)));
    }
}
