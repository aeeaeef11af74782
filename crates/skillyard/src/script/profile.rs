//! What a script may do, from the configuration of this machine.
//!
//! `allowed` is what the configuration allows, `folder` says which folders a script may work in,
//! `skill_folders` where skills are read from. The plan itself is made by [`skillyard_agent::script`].

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_agent::script::ScriptError;
use skillyard_catalog::agents;
use skillyard_catalog::surroundings::Surroundings;

use crate::config::Config;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::library;
use crate::library::installed::Installed;

pub(crate) use skillyard_agent::script::{
    Allowed, Made, ScriptPlan, SkillFolders, argv, as_json, in_workspace, is_obeyed, leads_into,
    limits_json, makes_repository, outline, reach,
};

/// What the configuration allows to every script.
pub(crate) fn configured(config: &Config) -> Allowed {
    Allowed {
        limits: config.script_limits(),
        commands: config.script_commands(),
        ..Allowed::default()
    }
}

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

/// The sources of the catalog, and the folders of agents without a dot that are in use.
pub(crate) fn skill_folders(
    context: &Context,
    workspace: &Path,
) -> Result<SkillFolders, CommandError> {
    let config = context.config()?;
    let here = library::surroundings(context, &config);
    let there = Surroundings {
        current: workspace.to_owned(),
        ..here.clone()
    };
    let sources = here.sources().into_iter().chain(there.sources());
    Ok(SkillFolders::of(sources).with(visible(context, &there)?))
}

/// The folders without a dot of agents that are used here, or that skills were installed into.
/// Others have such names by chance: `skills` is also where people write them.
fn visible(context: &Context, there: &Surroundings) -> Result<Vec<PathBuf>, CommandError> {
    let mut found = Vec::new();
    let mut installed = None;
    for level in there.levels() {
        for (agent, folder) in agents::visible_folders() {
            let folder = level.join(folder);
            let is_used = if agent.is_present(there.agents_home(), level) {
                true
            } else if folder.is_dir() {
                let installed = match &mut installed {
                    Some(installed) => installed,
                    None => installed.insert(Installed::readable(context)?),
                };
                let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
                let mut entries = entries.map(|entry| entry.path());
                let is_installed = |entry: PathBuf| {
                    // What cannot be told is kept from scripts.
                    installed.own_entry(&entry).is_some() || installed.unreadable(&entry).is_some()
                };
                entries.any(is_installed)
            } else {
                false
            };
            if is_used {
                found.push(folder);
            }
        }
    }
    Ok(found)
}
