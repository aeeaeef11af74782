//! The folders that skills are read from, by Skillyard and by agents: whoever writes there gives
//! them their next instructions.

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_agent::script::SkillFolders;
use skillyard_catalog::agents;
use skillyard_catalog::surroundings::Surroundings;

use crate::context::Context;
use crate::error::CommandError;
use crate::installed::Installed;
use crate::library;

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
