//! Files that machines leave behind and that no skill needs.
//!
//! They are dropped, not refused: people zip the folder they work in. What is
//! dropped is listed, so that nobody wonders. A name that only passes for
//! `.git` is refused instead (see `characters`): that is never an accident.

use super::path::ArchivePath;

/// Why a path is not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Junk {
    /// `.git`, with hooks that would run.
    Git,
    /// `.DS_Store`, `__MACOSX/`, `._name`, `Thumbs.db`, `desktop.ini`.
    System,
    /// `__pycache__/`, `*.pyc`: code that nobody can read, run in place of its source.
    PythonCache,
    /// `node_modules/`: other people's code, unpinned and unread.
    NodeModules,
}

/// Whether `path` is junk, and how many of its names make it so.
pub fn junk(path: &ArchivePath) -> Option<(Junk, usize)> {
    path.components()
        .enumerate()
        .find_map(|(index, name)| Some((classify(name)?, index + 1)))
}

/// Whether a file or folder of this name is left out of what is delivered.
pub fn is_junk(name: &str) -> bool {
    classify(name).is_some()
}

/// Whether programs that only use a skill leave this file behind; what could be started is never passed over so.
pub fn is_litter(path: &str, is_executable: bool) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_cache = folders.rsplit('/').next() == Some("__pycache__");
    !is_executable
        && match classify(name) {
            // No machine makes such a folder in an installed skill.
            Some(Junk::System) => name != "__MACOSX",
            // Python loads one from elsewhere in place of a module that has no source.
            Some(Junk::PythonCache) => in_cache && name != "__pycache__",
            _ => false,
        }
}

fn classify(name: &str) -> Option<Junk> {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    match name {
        ".git" => Some(Junk::Git),
        "__MACOSX" | ".DS_Store" | "Icon\r" | "Thumbs.db" | "desktop.ini" => Some(Junk::System),
        "__pycache__" => Some(Junk::PythonCache),
        "node_modules" => Some(Junk::NodeModules),
        _ if name.starts_with("._") => Some(Junk::System),
        _ if matches!(extension, Some("pyc" | "pyo")) => Some(Junk::PythonCache),
        _ => None,
    }
}
