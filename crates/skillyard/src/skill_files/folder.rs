//! What lies in a skill's folder: the names of its files, and what is in them.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use skillyard_format::rules::SkillFile;

use crate::error::CommandError;

/// Most files of a skill that the rules look at, and how deep.
const MAX_FILES: usize = 2_000;
const MAX_DEPTH: usize = 16;
/// Most bytes of one file, and of all files of a skill, that are looked into.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
const MAX_ALL_BYTES: u64 = 64 * 1024 * 1024;

/// The files of a skill's folder, as far as the rules look at them.
pub(crate) fn files(folder: &Path) -> Vec<SkillFile> {
    let mut files = Vec::new();
    list(folder, "", 0, &mut files);
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    files
}

fn list(folder: &Path, below: &str, depth: usize, files: &mut Vec<SkillFile>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if files.len() >= MAX_FILES {
            return;
        }
        if kind.is_dir() && depth < MAX_DEPTH && name != ".git" {
            list(&entry.path(), &path, depth + 1, files);
        } else if !kind.is_dir() {
            let is_script = path.starts_with("scripts/");
            files.push(SkillFile {
                executable: is_script && is_executable(&entry.path()),
                shebang: is_script && has_shebang(&entry.path()),
                path,
            });
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
    has_shebang(path)
}

fn has_shebang(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| start == *b"#!")
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

/// All files of a skill's folder, as far as they can be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    /// The files, by their paths.
    pub(crate) files: Vec<ReadFile>,
    /// Files that were left out, and why.
    pub(crate) skipped: Vec<(String, &'static str)>,
}

/// Reads all files of a skill's folder; links are not followed.
pub(crate) fn contents(folder: &Path) -> Result<Contents, CommandError> {
    let mut contents = Contents::default();
    let mut left = MAX_ALL_BYTES;
    let names = files(folder);
    if names.len() >= MAX_FILES {
        contents
            .skipped
            .push((".".to_owned(), "there are more files than are looked at"));
    }
    for file in names {
        let path = folder.join(&file.path);
        let metadata = fs::symlink_metadata(&path).map_err(|source| CommandError::Read {
            path: path.clone(),
            source,
        })?;
        let reason = match metadata.len() {
            _ if metadata.is_symlink() => Some("it is a link"),
            _ if !metadata.is_file() => Some("it is no file"),
            size if size > MAX_FILE_BYTES => Some("it is too large"),
            size if size > left => Some("the skill is too large"),
            _ => None,
        };
        if let Some(reason) = reason {
            contents.skipped.push((file.path, reason));
            continue;
        }
        let bytes = fs::read(&path).map_err(|source| CommandError::Read {
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
