//! Which folders a script may work in.

use std::path::{Path, PathBuf};

use skillyard_agent::script::ScriptError;

use crate::environment::Environment;

/// A folder that a script may work in: never one that holds the user's home or our own files.
pub(crate) fn workspace(path: &Path, environment: &Environment) -> Result<PathBuf, ScriptError> {
    let failed = |reason: String| ScriptError::Workspace {
        path: path.to_owned(),
        reason,
    };
    let folder = path
        .canonicalize()
        .map_err(|error| failed(error.to_string()))?;
    if !folder.is_dir() {
        return Err(failed("it is not a folder".into()));
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let home = environment.home.as_deref().map(real);
    if home.is_some_and(|home| home.starts_with(&folder)) {
        return Err(failed("your home folder is in it".into()));
    }
    let own = real(&environment.skillyard_home);
    if own.starts_with(&folder) || folder.starts_with(&own) {
        return Err(failed("Skillyard's own files are in it".into()));
    }
    if folder.components().any(|step| step.as_os_str() == ".git") {
        return Err(failed("it belongs to git".into()));
    }
    let system = [
        "/usr", "/etc", "/bin", "/sbin", "/lib", "/proc", "/sys", "/dev", "/boot", "/var", "/run",
        "/tmp",
    ];
    if folder == Path::new("/") || system.iter().any(|each| folder == Path::new(each)) {
        return Err(failed("it belongs to the system".into()));
    }
    Ok(folder)
}
