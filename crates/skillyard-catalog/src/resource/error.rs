//! Why a file of a skill was not read.

use std::path::PathBuf;
use std::{fmt, io};

use rustix::fs::FileType;

/// Why a file of a skill was not read, listed or hashed.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// The path has no characters.
    #[error("resource path is empty")]
    Empty,
    /// The path starts at the root of the file system.
    #[error("resource path `{path}` is absolute")]
    Absolute {
        /// The path, as it was given.
        path: String,
    },
    /// A component of the path is `..`.
    #[error("resource path `{path}` contains `..`")]
    Parent {
        /// The path, as it was given.
        path: String,
    },
    /// The path contains a NUL character.
    #[error("resource path `{path}` contains a NUL character")]
    Nul {
        /// The path, with the character escaped.
        path: String,
    },
    /// The path contains a backslash.
    #[error("resource path `{path}` contains a backslash; folders are separated by `/`")]
    Backslash {
        /// The path, as it was given.
        path: String,
    },
    /// The path names a drive, a share or a device namespace of Windows.
    #[error("resource path `{path}` names a drive or share of Windows")]
    WindowsPath {
        /// The path, as it was given.
        path: String,
    },
    /// A component of the path is a device on Windows.
    #[error("resource path `{path}` contains `{name}`, a device on Windows")]
    DeviceName {
        /// The path, as it was given.
        path: String,
        /// The component.
        name: String,
    },
    /// The path contains a separator, a dot or a control character in percent encoding.
    #[error(
        "resource path `{path}` contains a percent-encoded separator, dot or control character"
    )]
    PercentEncoded {
        /// The path, as it was given.
        path: String,
    },
    /// The path contains `//` or ends in `/`.
    #[error("resource path `{path}` contains `//` or ends in `/`")]
    EmptyComponent {
        /// The path, as it was given.
        path: String,
    },
    /// A component of the path consists of dots and spaces.
    #[error("resource path `{path}` contains a component of only dots or spaces")]
    DotsOrSpaces {
        /// The path, as it was given.
        path: String,
    },
    /// The path contains a control character.
    #[error("resource path `{path}` contains a control character")]
    ControlCharacter {
        /// The path, with the character escaped.
        path: String,
    },
    /// The path is longer than any file system allows.
    #[error("resource path `{path}` is {length} bytes long, more than 4096")]
    TooLong {
        /// The beginning of the path.
        path: String,
        /// Its length in bytes.
        length: usize,
    },
    /// The path leads into `.git`.
    #[error("resource path `{path}` leads into `.git`, which is no part of the skill")]
    GitFolder {
        /// The path, as it was given.
        path: String,
    },
    /// The path is deeper than one folder and the caller allows one.
    #[error("resource path `{path}` is deeper than one folder")]
    Nested {
        /// The path.
        path: String,
    },
    /// The name of a file is not UTF-8.
    #[error("the name of `{path}` is not UTF-8")]
    NameNotText {
        /// The path, with replacement characters.
        path: String,
    },
    /// The skill's folder could not be opened.
    #[error("skill folder `{}` cannot be opened", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No such file is in the skill.
    #[error("`{path}` is not in the skill")]
    NotFound {
        /// The path.
        path: String,
    },
    /// The file, or a folder on the way to it, is a symbolic link.
    #[error("`{path}` is or passes through a symbolic link")]
    Symlink {
        /// The path.
        path: String,
    },
    /// The path leads out of the skill.
    #[error("`{path}` leads out of the skill folder")]
    Escapes {
        /// The path.
        path: String,
    },
    /// The path names something other than a regular file.
    #[error("`{path}` is {kind}, not a regular file")]
    NotRegular {
        /// The path.
        path: String,
        /// What it is.
        kind: FileKind,
    },
    /// The path, or a part of it that should be a folder, is none.
    #[error("`{path}` is not a folder or passes through a file")]
    NotFolder {
        /// The path.
        path: String,
    },
    /// The file has other names, which may lie outside the skill.
    #[error("`{path}` has {links} hard links, and the others may lie outside the skill")]
    HardLink {
        /// The path.
        path: String,
        /// How many names the file has.
        links: u64,
    },
    /// The file is not what it was when the skill was hashed.
    #[error("`{path}` was changed while it was read")]
    Changed {
        /// The path.
        path: String,
    },
    /// Some program left the file behind, so its content is not verified.
    #[error("`{path}` was left behind by a program that uses the skill, and is no part of it")]
    Litter {
        /// The path.
        path: String,
    },
    /// Reading should start after the end of the file.
    #[error("offset {offset} is past the end of `{path}`, which has {size} bytes")]
    OffsetPastEnd {
        /// The path.
        path: String,
        /// Where reading should have started.
        offset: u64,
        /// The size of the file.
        size: u64,
    },
    /// A folder of the skill lies deeper than folders are looked into.
    #[error("`{path}` is deeper than {limit} folders")]
    TooDeep {
        /// The folder.
        path: String,
        /// How deep folders may be.
        limit: usize,
    },
    /// A folder has more entries than are looked at.
    #[error("the skill has more than {limit} files and folders")]
    TooManyEntries {
        /// How many are looked at.
        limit: usize,
    },
    /// The skill has more files than may be hashed.
    #[error("the skill has more than {limit} files")]
    TooManyFiles {
        /// How many files it may have.
        limit: usize,
    },
    /// The skill has more bytes than may be hashed.
    #[error("the files of the skill have more than {limit} bytes")]
    TooManyBytes {
        /// How many bytes they may have.
        limit: u64,
    },
    /// The system could not read the file.
    #[error("`{path}` cannot be read")]
    Io {
        /// The path.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The copy of a file could not be written, which says nothing of the file.
    #[error("a copy of `{path}` cannot be written")]
    Copy {
        /// The path.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ResourceError {
    /// Whether it stays as long as the files of the skill do, so that it says something of them;
    /// what the system refused just now says nothing.
    pub fn stays(&self) -> bool {
        match self {
            Self::TooDeep { .. }
            | Self::TooManyEntries { .. }
            | Self::TooManyFiles { .. }
            | Self::TooManyBytes { .. } => true,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::PermissionDenied,
            _ => false,
        }
    }

    /// Whether the system failed, which says nothing about the request and is not the caller's fault.
    pub fn is_trouble(&self) -> bool {
        match self {
            Self::Root { source, .. } | Self::Io { source, .. } | Self::Copy { source, .. } => {
                // Of these the path is the reason.
                !matches!(
                    source.kind(),
                    io::ErrorKind::NotFound
                        | io::ErrorKind::NotADirectory
                        | io::ErrorKind::InvalidFilename
                        | io::ErrorKind::InvalidInput
                )
            }
            _ => false,
        }
    }

    /// The error and what the system said, in one line.
    pub fn whole(&self) -> String {
        match self {
            Self::Root { source, .. } | Self::Io { source, .. } | Self::Copy { source, .. } => {
                format!("{self}: {source}")
            }
            _ => self.to_string(),
        }
    }
}

/// What something is that is not a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Something else.
    Unknown,
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "of an unknown kind",
        })
    }
}
