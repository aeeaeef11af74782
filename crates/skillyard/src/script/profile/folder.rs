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
    if let Some(reason) = private(&folder, environment) {
        return Err(failed(reason.into()));
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

/// Why neither a script nor a model may look around in a folder, if so: the user's home or our own
/// files are in it, and with them keys and logins.
pub(crate) fn private(folder: &Path, environment: &Environment) -> Option<&'static str> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = &real(folder);
    let home = environment.home.as_deref().map(real);
    if home.is_some_and(|home| home.starts_with(folder)) {
        return Some("your home folder is in it");
    }
    let own = real(&environment.skillyard_home);
    let has_own = own.starts_with(folder) || folder.starts_with(&own);
    has_own.then_some("Skillyard's own files are in it")
}
