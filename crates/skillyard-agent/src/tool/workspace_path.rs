//! Paths in the workspace as models write them, and the errors of unreadable files.

use std::path::{Component, Path, PathBuf};

use skillyard_catalog::resource::ResourceError;

/// The path below the workspace that is meant: the workspace may stand in front, and `.` and
/// doubled separators say nothing.
pub(super) fn below(workspace: &Path, path: &str) -> Result<PathBuf, String> {
    let inside = Path::new(path).strip_prefix(workspace);
    let mut below = PathBuf::new();
    for component in inside.unwrap_or(Path::new(path)).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => below.push(part),
            _ => return Err(no_path(path)),
        }
    }
    Ok(below)
}

/// The path of a file below the workspace.
pub(super) fn file(workspace: &Path, path: &str) -> Result<String, String> {
    let below = below(workspace, path)?;
    let is_folder = below.as_os_str().is_empty() || path.ends_with('/') || path.ends_with("/.");
    match below.to_str() {
        Some(_) if is_folder => Err(format!("`{path}` names a folder, not a file")),
        Some(below) if !below.contains('\0') => Ok(below.to_owned()),
        _ => Err(no_path(path)),
    }
}

/// The first part of a path below the workspace that is a link.
pub(super) fn link(workspace: &Path, path: &str) -> Option<String> {
    // The workspace itself may be named through one.
    let parts = Path::new(path).ancestors();
    let parts = parts.filter(|part| !part.as_os_str().is_empty());
    let links = parts.filter(|part| workspace.join(part).is_symlink());
    links.last().map(|part| part.display().to_string())
}

/// Why a file of the workspace was not read.
pub(super) fn unread(error: &ResourceError) -> String {
    match error {
        ResourceError::NotFound { path } => format!("`{path}` is not in the workspace"),
        ResourceError::Escapes { path } => format!("`{path}` leads out of the workspace"),
        ResourceError::GitFolder { path } => {
            format!("`{path}` leads into `.git`, which is not read")
        }
        ResourceError::HardLink { path, links } => {
            format!("`{path}` has {links} hard links, and the others may lie outside the workspace")
        }
        ResourceError::Root { path, source } => {
            format!(
                "the workspace `{}` cannot be opened: {source}",
                path.display()
            )
        }
        ResourceError::Io { path, source } => format!("`{path}` cannot be read: {source}"),
        other => other.to_string(),
    }
}

fn no_path(path: &str) -> String {
    format!("`{path}` is not a path in the workspace")
}
