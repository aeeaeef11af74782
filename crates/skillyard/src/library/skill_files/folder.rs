//! What lies in a skill's folder: the names of its files, and what is in them.

use std::fs;
use std::path::Path;

use skillyard_catalog::regular_file::{Links, beginning, read};
use skillyard_format::rules::SkillFile;
use skillyard_format::script::{is_compiled, is_placed};

use crate::error::CommandError;

/// Most files of a skill that the rules look at, and how deep.
const MAX_FILES: usize = 2_000;
const MAX_DEPTH: usize = 16;
/// Most bytes of one file, and of all files of a skill, that are looked into.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
const MAX_ALL_BYTES: u64 = 64 * 1024 * 1024;

/// The files of a skill's folder, as far as the rules look at them, and what is there and was not
/// looked at.
#[derive(Default)]
pub(crate) struct FolderListing {
    pub(crate) files: Vec<SkillFile>,
    left_out: Vec<(String, LeftOut)>,
}

impl FolderListing {
    /// Looks into a folder.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut listing = Self::default();
        listing.add(folder, "", 0);
        listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing
    }

    /// Whether there may be a repository in the folder that is not its own: one was seen, or not all
    /// was looked at.
    pub(crate) fn may_hold_repository(&self) -> bool {
        let mut files = self.files.iter();
        // What a submodule has is a file that says where its repository is.
        files.any(|file| file.path.ends_with("/.git"))
            || self.left_out.iter().any(|(path, reason)| match reason {
                LeftOut::Git => path.contains('/'),
                LeftOut::TooMany | LeftOut::TooDeep => true,
                _ => false,
            })
    }

    fn add(&mut self, folder: &Path, below: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            self.left_out.push((below.to_owned(), LeftOut::Unreadable));
            return;
        };
        let mut folders = Vec::new();
        for entry in entries {
            let Ok(entry) = entry else {
                self.left_out.push((below.to_owned(), LeftOut::Unreadable));
                continue;
            };
            let name = entry.file_name();
            let path = match below {
                "" => name.to_string_lossy().into_owned(),
                below => format!("{below}/{}", name.to_string_lossy()),
            };
            let Ok(kind) = entry.file_type() else {
                self.left_out.push((path, LeftOut::Unreadable));
                continue;
            };
            if name.to_str().is_none() {
                self.left_out.push((path, LeftOut::Name));
            } else if kind.is_dir() && name == ".git" {
                self.left_out.push((path, LeftOut::Git));
            } else if kind.is_dir() {
                folders.push((entry, path));
            } else if self.files.len() >= MAX_FILES {
                self.left_out.push((path, LeftOut::TooMany));
                return;
            } else {
                let is_script = is_placed(&path);
                let start = if is_script {
                    beginning(&entry.path(), 4).unwrap_or_default()
                } else {
                    Vec::new()
                };
                self.files.push(SkillFile {
                    executable: is_script && is_executable(&entry.path()),
                    shebang: start.starts_with(b"#!"),
                    compiled: is_compiled(&start),
                    path,
                });
            }
        }
        // Later, so that no crowd of files below hides what lies at the top.
        for (entry, path) in folders {
            if depth >= MAX_DEPTH {
                self.left_out.push((path, LeftOut::TooDeep));
            } else {
                self.add(&entry.path(), &path, depth + 1);
            }
        }
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

/// Without executable bits every file with a `#!` line counts as executable.
#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    beginning(path, 2).is_ok_and(|start| start == b"#!")
}

/// A file with its content.
#[derive(Debug, Clone)]
pub(crate) struct ReadFile {
    /// Its path below the skill's root, separated by `/`.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) bytes: Vec<u8>,
    /// Whether its owner may execute it.
    pub(crate) executable: bool,
}

/// Why something in a skill's folder was not looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftOut {
    Link,
    NoFile,
    TooLarge,
    SkillTooLarge,
    TooMany,
    TooDeep,
    Name,
    Git,
    Unreadable,
}

impl LeftOut {
    /// In words.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Link => "it is a link",
            Self::NoFile => "it is no file",
            Self::TooLarge => "it is too large",
            Self::SkillTooLarge => "the skill is too large",
            Self::TooMany => "this and what follows: there are more files than are looked at",
            Self::TooDeep => "it lies deeper than is looked at",
            Self::Name => "its name is not UTF-8",
            Self::Git => "it is what git keeps, and no part of the skill",
            Self::Unreadable => "it cannot be read",
        }
    }

    /// Whether anything could be in it. What an install would refuse can hide no attack from one,
    /// but a skill need not be installed to be used.
    pub(crate) fn hides(self) -> bool {
        !matches!(self, Self::Link | Self::NoFile | Self::Git)
    }
}

/// All files of a skill's folder, as far as they can be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    /// The files, by their paths.
    pub(crate) files: Vec<ReadFile>,
    /// What was left out, and why.
    pub(crate) skipped: Vec<(String, LeftOut)>,
}

/// Reads all files of a skill's folder; links are not followed, but for that of its `SKILL.md`,
/// which agents read through it.
pub(crate) fn contents(folder: &Path) -> Result<Contents, CommandError> {
    let listing = FolderListing::of(folder);
    let mut contents = Contents {
        files: Vec::new(),
        skipped: listing.left_out,
    };
    let mut left = MAX_ALL_BYTES;
    for file in listing.files {
        let path = folder.join(&file.path);
        let look = if file.path.eq_ignore_ascii_case("skill.md") {
            fs::metadata
        } else {
            fs::symlink_metadata
        };
        let metadata = look(&path).map_err(|source| CommandError::Read {
            path: path.clone(),
            source,
        })?;
        let reason = match metadata.len() {
            _ if metadata.is_symlink() => Some(LeftOut::Link),
            _ if !metadata.is_file() => Some(LeftOut::NoFile),
            size if size > MAX_FILE_BYTES => Some(LeftOut::TooLarge),
            size if size > left => Some(LeftOut::SkillTooLarge),
            _ => None,
        };
        if let Some(reason) = reason {
            contents.skipped.push((file.path, reason));
            continue;
        }
        let bytes =
            read(&path, Links::Followed, MAX_FILE_BYTES).map_err(|source| CommandError::Read {
                path: path.clone(),
                source,
            })?;
        left = left.saturating_sub(bytes.len() as u64);
        contents.files.push(ReadFile {
            executable: is_executable(&path),
            path: file.path,
            bytes,
        });
    }
    Ok(contents)
}
