//! Finding and reading the skills that a path names: a folder, a file, or a whole tree.
//!
//! A folder is probed for its `SKILL.md` by opening it, so a skill costs one open and
//! its folder is never listed; recursion stops at a skill's root, because what is
//! nested in a skill belongs to it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use skillyard_format::document::MAX_BYTES;
use skillyard_format::rules::SkillFile;

use crate::error::CommandError;

/// Folders that never hold skills of their own.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// Deepest folder that is looked into below a tree's root.
const MAX_DEPTH: usize = 32;
/// Most files of a skill that the rules look at.
const MAX_FILES: usize = 2_000;

/// A `SKILL.md` that was read.
#[derive(Debug, Clone)]
pub(crate) struct SkillFileOnDisk {
    /// The skill's folder, as the user would write it.
    pub(crate) folder: PathBuf,
    /// The name of the file, in its own spelling.
    pub(crate) file_name: String,
    /// The bytes, at most one more than the limit.
    pub(crate) bytes: Vec<u8>,
}

impl SkillFileOnDisk {
    /// The path of the file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.file_name)
    }

    /// The name of the folder; `.` and the like are asked for their real name.
    pub(crate) fn directory(&self) -> Option<String> {
        directory_name(&self.folder)
    }
}

/// The name of a folder, also of `.`, `..` and `a/..`.
pub(crate) fn directory_name(folder: &Path) -> Option<String> {
    let named = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    match folder.components().next_back() {
        Some(std::path::Component::Normal(_)) => named(folder),
        _ => folder.canonicalize().ok().as_deref().and_then(named),
    }
}

/// Reads every skill that `path` names and hands each to `visit`, in parallel.
///
/// Returns how many there were; a path that names none is an error.
pub(crate) fn visit(
    path: &Path,
    visit: &(dyn Fn(Result<SkillFileOnDisk, CommandError>) + Sync),
) -> Result<(), CommandError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(CommandError::NoSuchPath(path.to_owned()));
        }
        Err(source) => {
            return Err(CommandError::Read {
                path: path.to_owned(),
                source,
            });
        }
    };
    if !metadata.is_dir() {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if !name.eq_ignore_ascii_case("skill.md") {
            return Err(CommandError::NotASkill(path.to_owned()));
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        visit(read(folder, name));
        return Ok(());
    }
    let found = Mutex::new(false);
    let note = |result: Result<SkillFileOnDisk, CommandError>| {
        if let Ok(mut found) = found.lock() {
            *found = true;
        }
        visit(result);
    };
    rayon::scope(|scope| walk(scope, path.to_owned(), 0, &note));
    if found.into_inner().unwrap_or(true) {
        Ok(())
    } else {
        Err(CommandError::NoSkills(path.to_owned()))
    }
}

/// Reads the one skill in `path`, which is its folder or its file.
pub(crate) fn read_one(path: &Path) -> Result<SkillFileOnDisk, CommandError> {
    let is_file = fs::metadata(path)
        .map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => CommandError::NoSuchPath(path.to_owned()),
            _ => CommandError::Read {
                path: path.to_owned(),
                source,
            },
        })?
        .is_file();
    if is_file {
        let result = Mutex::new(None);
        visit(path, &|found| {
            if let Ok(mut result) = result.lock() {
                *result = Some(found);
            }
        })?;
        return match result.into_inner() {
            Ok(Some(found)) => found,
            _ => Err(CommandError::NotASkill(path.to_owned())),
        };
    }
    match probe(path) {
        Some(found) => found,
        None => match listed_spelling(path) {
            Some(name) => read(path, &name),
            None => Err(CommandError::NotASkill(path.to_owned())),
        },
    }
}

fn walk<'scope>(
    scope: &rayon::Scope<'scope>,
    folder: PathBuf,
    depth: usize,
    visit: &'scope (dyn Fn(Result<SkillFileOnDisk, CommandError>) + Sync),
) {
    if let Some(found) = probe(&folder) {
        visit(found);
        return;
    }
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(source) => {
            visit(Err(CommandError::Read {
                path: folder,
                source,
            }));
            return;
        }
    };
    let mut folders = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        // Symbolic links are not followed: what they lead to is found where it is.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    folders.push(entry.path());
                }
            }
            Ok(kind) if kind.is_file() => {
                if let Some(name) = name
                    .to_str()
                    .filter(|name| name.eq_ignore_ascii_case("skill.md"))
                {
                    visit(read(&folder, name));
                    return;
                }
            }
            _ => {}
        }
    }
    if depth < MAX_DEPTH {
        for folder in folders {
            scope.spawn(move |scope| walk(scope, folder, depth + 1, visit));
        }
    }
}

/// The skill in `folder`, if it has a `SKILL.md`.
fn probe(folder: &Path) -> Option<Result<SkillFileOnDisk, CommandError>> {
    match read(folder, "SKILL.md") {
        Err(CommandError::Read { source, .. })
            if matches!(
                source.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            None
        }
        found => Some(found),
    }
}

fn listed_spelling(folder: &Path) -> Option<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.eq_ignore_ascii_case("skill.md"))
        .collect();
    names.sort_unstable_by_key(|name| (name != "skill.md", name.clone()));
    names.into_iter().next()
}

fn read(folder: &Path, file_name: &str) -> Result<SkillFileOnDisk, CommandError> {
    let path = folder.join(file_name);
    let bytes = read_limited(&path).map_err(|source| CommandError::Read { path, source })?;
    Ok(SkillFileOnDisk {
        folder: folder.to_owned(),
        file_name: file_name.to_owned(),
        bytes,
    })
}

/// Reads a file up to just past the limit, so that one too large is known to be.
fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let limit = MAX_BYTES as u64 + 1;
    let size = usize::try_from(metadata.len().min(limit)).unwrap_or(MAX_BYTES);
    let mut bytes = Vec::with_capacity(size + 1);
    // A regular file is at its end when it gives less than was asked for.
    while bytes.len() <= MAX_BYTES {
        let read = rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes))?;
        if read == 0 || bytes.len() < bytes.capacity() {
            break;
        }
        bytes.reserve(bytes.len().max(4096));
    }
    bytes.truncate(MAX_BYTES + 1);
    Ok(bytes)
}

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
