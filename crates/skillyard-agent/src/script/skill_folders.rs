//! The folders that skills are read from, by Skillyard and by agents: whoever writes there gives
//! them their next instructions.

use std::path::{Path, PathBuf};

use skillyard_catalog::source::{SkillSource, SourceKind};

use super::{ScriptError, protected};

/// Where agents keep folders that people work in among their own files.
const WORKED_IN: [&str; 2] = ["workspace", "worktrees"];

/// The folders that skills are read from, as they are seen from here and from a workspace.
#[derive(Debug, Clone, Default)]
pub struct SkillFolders(Vec<PathBuf>);

impl SkillFolders {
    /// The folders of these sources, such as [`Catalog::sources`](skillyard_catalog::Catalog::sources).
    pub fn of(sources: impl IntoIterator<Item = SkillSource>) -> Self {
        let sources = sources.into_iter();
        let sources = sources.filter(|source| source.kind != SourceKind::Builtin);
        Self(sources.map(|source| source.root).collect())
    }

    /// The same with further folders.
    #[must_use]
    pub fn with(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.0.extend(folders);
        self
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
    pub fn refuse_among(&self, workspace: &Path) -> Result<(), ScriptError> {
        let refused = |reason: String| ScriptError::Workspace {
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
