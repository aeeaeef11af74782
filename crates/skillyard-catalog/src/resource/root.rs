//! The folder of a skill, held open.

use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::error::{FileKind, ResourceError};
use super::open::{Opener, Resolver};

/// The folder of a skill, from which its files are read.
///
/// The path of the folder itself may pass through symbolic links: whoever found the skill decided about those.
#[derive(Debug)]
pub struct SkillRoot {
    path: PathBuf,
    pub(super) opener: Opener,
}

impl SkillRoot {
    /// Opens the folder of a skill.
    pub fn open(path: &Path) -> Result<Self, ResourceError> {
        Self::open_with(path, Resolver::default())
    }

    /// Opens the folder of a skill and fixes how paths below it are resolved.
    #[doc(hidden)]
    pub fn open_with(path: &Path, resolver: Resolver) -> Result<Self, ResourceError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let folder =
            rustix::fs::open(path, flags, Mode::empty()).map_err(|error| ResourceError::Root {
                path: path.to_owned(),
                source: error.into(),
            })?;
        Ok(Self {
            path: path.to_owned(),
            opener: Opener::new(folder, resolver),
        })
    }

    /// The path the folder was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What an error of the system means for `path`.
pub(super) fn explain(path: &str, error: Errno) -> ResourceError {
    let path = path.to_owned();
    match error {
        Errno::NOENT => ResourceError::NotFound { path },
        Errno::LOOP => ResourceError::Symlink { path },
        Errno::XDEV => ResourceError::Escapes { path },
        Errno::NOTDIR => ResourceError::NotFolder { path },
        // A socket cannot be opened at all.
        Errno::NXIO => ResourceError::NotRegular {
            path,
            kind: FileKind::Socket,
        },
        _ => ResourceError::Io {
            path,
            source: error.into(),
        },
    }
}
