//! The project at hand: where its file is, and whether it has a say.

use std::path::{Path, PathBuf};

use skillyard_catalog::ProjectTrust;
use skillyard_catalog::surroundings::Surroundings;
use skillyard_trust::approval::TrustedFolder;

use super::discovery::TrustProjects;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::files;

/// The root of the project around the working directory.
pub(crate) fn root(environment: &Environment) -> PathBuf {
    root_around(environment, &environment.current_dir)
}

/// The root of the project around a folder.
pub(crate) fn root_around(environment: &Environment, folder: &Path) -> PathBuf {
    let surroundings = Surroundings {
        current: folder.to_owned(),
        home: environment.home.clone(),
        ..Surroundings::default()
    };
    surroundings.project_root().to_owned()
}

/// What to type for the project at `root`: a part of one is not trusted alone.
pub(crate) fn typed(root: &Path, current: &Path) -> String {
    if root == current {
        ".".to_owned()
    } else {
        root.to_string_lossy().into_owned()
    }
}

/// What can be done about a project whose path cannot be written down exactly, so that nobody can
/// trust it.
pub(crate) const TO_RENAME: &str = "its path is not UTF-8: give the folder another name with `mv`";

/// The same of the project around the working directory.
pub(crate) fn typed_here(environment: &Environment) -> String {
    typed(&root(environment), &environment.current_dir)
}

/// The project's configuration; in the home directory there is none, only the user's.
pub(crate) fn config_file(environment: &Environment) -> Option<PathBuf> {
    let file = root(environment).join(".skillyard/config.toml");
    let own = environment.config_file();
    let is_own = file == own
        || file
            .canonicalize()
            .is_ok_and(|file| own.canonicalize().is_ok_and(|own| own == file));
    (!is_own).then_some(file)
}

/// Whether the user trusts the project.
pub(crate) fn trust(
    environment: &Environment,
    wish: TrustProjects,
) -> Result<ProjectTrust, CommandError> {
    let folders = match wish {
        TrustProjects::Always | TrustProjects::Never => Vec::new(),
        TrustProjects::Ask => files::list_approvals(&environment.approvals_file())?,
    };
    Ok(if is_trusted(&root(environment), wish, &folders) {
        ProjectTrust::Trusted
    } else {
        ProjectTrust::Untrusted
    })
}

/// Leaves the projects that the user trusts.
pub(crate) fn keep_trusted(
    environment: &Environment,
    wish: TrustProjects,
    roots: &mut Vec<PathBuf>,
) {
    // What cannot be read approves nothing.
    let folders = files::list_approvals(&environment.approvals_file()).unwrap_or_default();
    roots.retain(|root| is_trusted(root, wish, &folders));
}

/// Whether the user, who trusts these folders, trusts the project at `root`.
pub(crate) fn is_trusted(root: &Path, wish: TrustProjects, folders: &[TrustedFolder]) -> bool {
    match wish {
        TrustProjects::Always => true,
        TrustProjects::Never => false,
        TrustProjects::Ask => {
            let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
            folders.iter().any(|folder| covers(folder, &root))
        }
    }
}

/// The trusted folder by which the project around another folder is trusted.
pub(crate) fn trusted_by<'a>(
    environment: &Environment,
    folder: &Path,
    folders: &'a [TrustedFolder],
) -> Option<&'a Path> {
    let root = root_around(environment, folder);
    let by = folders.iter().find(|trusted| covers(trusted, &root));
    by.map(|trusted| trusted.path.as_path())
}

/// Whether who trusts a folder trusts a project in it. A repository below it is a project of its
/// own: whoever put it there, others wrote it. What somebody put into the place of either was never
/// trusted.
fn covers(folder: &TrustedFolder, root: &Path) -> bool {
    let path = &folder.path;
    let mut between = root.ancestors().take_while(|level| *level != path);
    root.starts_with(path)
        && between.all(|level| !level.join(".git").exists())
        && files::holds(folder)
        && files::reaches(folder, root)
}
