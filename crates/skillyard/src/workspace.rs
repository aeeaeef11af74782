//! The folder that tools work in, from what the user named.

use std::io;
use std::path::Path;

use skillyard_agent::workspace::Workspace;

use crate::environment::Environment;
use crate::error::CommandError;

/// The folder, which must exist; the current one without a name.
pub(crate) fn workspace(
    environment: &Environment,
    folder: Option<&Path>,
) -> Result<Workspace, CommandError> {
    let folder = folder.unwrap_or(&environment.current_dir);
    let home = environment.home.clone();
    let found = Workspace::new(folder, home, environment.path.clone());
    found.map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => CommandError::NotAFolder(folder.to_owned()),
        _ => CommandError::NoSuchPath(folder.to_owned()),
    })
}
