//! The folders that skills are read from, by Skillyard and by agents: whoever writes there gives
//! them their next instructions.

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_catalog::agents;
use skillyard_catalog::source::{SourceKind, Surroundings};

use super::protected;
use crate::context::Context;
use crate::error::{CommandError, RunError};
use crate::installed::Installed;
use crate::library;

/// Where agents keep folders that people work in among their own files.
const WORKED_IN: [&str; 2] = ["workspace", "worktrees"];

/// The folders that skills are read from, as they are seen from here and from a workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct SkillFolders(Vec<PathBuf>);

impl SkillFolders {
    /// The sources of the catalog, and the folders of agents without a dot that are in use.
    pub(crate) fn around(context: &Context, workspace: &Path) -> Result<Self, CommandError> {
        let config = context.config()?;
        let here = library::surroundings(context, &config);
        let there = Surroundings {
            current: workspace.to_owned(),
            ..here.clone()
        };
        let sources = here.sources().into_iter().chain(there.sources());
        let sources = sources.filter(|source| source.kind != SourceKind::Builtin);
        let mut folders: Vec<PathBuf> = sources.map(|source| source.root).collect();
        folders.extend(visible(context, &there)?);
        Ok(Self(folders))
    }

    /// Those in a workspace, by their relative paths, as far as they could be made in one step and
    /// no name in them says already that they are obeyed.
    pub(super) fn within(&self, workspace: &Path) -> Vec<PathBuf> {
        let inside = self.0.iter().filter_map(|folder| {
            let named = protected::plain(folder);
            // It may be named by another way to the same folder.
            let real = folder.canonicalize().unwrap_or_default();
            let inside = named.strip_prefix(workspace);
            let inside = inside.or_else(|_| real.strip_prefix(workspace)).ok()?;
            let parent = workspace.join(inside.parent()?);
            let is_new = !protected::is_obeyed(inside) && parent.is_dir();
            is_new.then(|| inside.to_owned())
        });
        inside.collect()
    }

    /// Refuses to let a script change a workspace in which other things than one skill are obeyed.
    pub(crate) fn refuse_among(&self, workspace: &Path) -> Result<(), RunError> {
        let refused = |reason: String| RunError::Workspace {
            path: workspace.to_owned(),
            reason,
        };
        let roots: Vec<PathBuf> = self.0.iter().flat_map(|each| each.canonicalize()).collect();
        let is_skill = |folder: &Path| {
            let files = ["SKILL.md", "skill.md"];
            files.iter().any(|file| folder.join(file).exists())
        };
        let is_root = |folder: &Path| roots.iter().any(|root| root == folder);
        // Nothing is read from below a skill but the skill.
        let mut levels = workspace.ancestors().take_while(|level| !is_skill(level));
        if levels.any(is_root) {
            let reason = "skills are read from it; work in the folder of one of them";
            return Err(refused(reason.to_owned()));
        }
        for level in workspace.ancestors() {
            let Some(name) = level.file_name() else {
                break;
            };
            if protected::is_obeyed(Path::new(name)) {
                let name = name.to_string_lossy();
                let reason = format!("it belongs to `{name}`, which other programs obey");
                return Err(refused(reason));
            }
            let name = name.to_string_lossy();
            let is_worked_in = WORKED_IN.iter().any(|each| name.starts_with(each));
            if is_worked_in || is_skill(level) || level.join(".git").exists() {
                break;
            }
        }
        Ok(())
    }
}

/// The folders without a dot of agents that are used here, or that skills were installed into.
/// Others have such names by chance: `skills` is also where people write them.
fn visible(context: &Context, there: &Surroundings) -> Result<Vec<PathBuf>, CommandError> {
    let mut found = Vec::new();
    let mut installed = None;
    for level in there.levels() {
        for (agent, folder) in agents::visible_folders() {
            let folder = level.join(folder);
            let is_used = if agent.is_present(there.home.as_deref(), level) {
                true
            } else if folder.is_dir() {
                let installed = match &mut installed {
                    Some(installed) => installed,
                    None => installed.insert(Installed::read(context)?),
                };
                let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
                let mut entries = entries.map(|entry| entry.path());
                entries.any(|entry| installed.own_entry(&entry).is_some())
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
