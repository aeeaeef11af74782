//! The text of a file that a stranger may have put there.
//!
//! A lock and a manifest come with a checkout. As a link they could be any file of the user, whose
//! lines an error would show; as a pipe nobody would ever answer; as a device they would never end.

use std::io;
use std::io::ErrorKind::{InvalidData, NotADirectory, NotFound};
use std::path::Path;

use skillyard_catalog::path_probe::dangling_link;
use skillyard_catalog::regular_file::{Links, NotRead, read};

/// Most bytes of a lock or a manifest, which is tens of thousands of skills.
pub(crate) const MOST: u64 = 16 << 20;

/// The text of a file; none where there is no file.
pub(crate) fn text_if_there(path: &Path) -> io::Result<Option<String>> {
    let bytes = match read(path, Links::Refused, MOST) {
        Ok(bytes) => bytes,
        // It may be on a disk that is not mounted now, and name what was installed.
        Err(error) if error.kind() == NotFound && dangling_link(path).is_some() => {
            return Err(NotRead::Dangling.into());
        }
        // Where its folder was there may be a file now.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|error| io::Error::new(InvalidData, error.utf8_error()))
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
    use std::fs::File;

    use rustix::fs::Mode;
    use skillyard_catalog::regular_file::NotRead;

    use super::*;

    fn refused(path: &Path) -> Option<NotRead> {
        NotRead::of(&text_if_there(path).err()?)
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
