//! The skills that lie in a workspace, or that it lies in, whether an agent may use them or not.

use std::path::{Path, PathBuf};

use skillyard_catalog::source::SourceKind;

use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, Choice, IndexMode};
use crate::permission::Permissions;

/// A skill by what its permission depends on.
pub(super) struct Lying {
    /// Its name.
    pub(super) name: String,
    /// Where it was found; `None` where only its folder is known.
    pub(super) kind: Option<SourceKind>,
    /// Its folder, with no link in its path.
    pub(super) folder: PathBuf,
}

impl Lying {
    /// All skills in a workspace and around it: those of the catalog, with the disabled ones and those
    /// that lost to others, every copy that a lock names, and what lies in `obeyed` folders of
    /// agents, by their relative paths.
    pub(super) fn all(
        context: &Context,
        permissions: &Permissions,
        workspace: &Path,
        obeyed: &[PathBuf],
    ) -> Result<Vec<Self>, CommandError> {
        let catalog = library::discover(context, IndexMode::Look, &Choice::default())?;
        let found = catalog.all();
        let found = found.filter(|skill| skill.kind != SourceKind::Builtin);
        let found = found.map(|skill| {
            let name = skill.record.name.to_string();
            (name, Some(skill.kind), skill.record.folder.clone())
        });
        let installed = permissions.installed();
        let installed = installed.map(|(name, folder)| (name.to_owned(), None, folder));
        let beside = obeyed.iter().flat_map(|folder| beside(workspace, folder));
        let beside = beside.map(|(name, folder)| (name, None, folder));
        let all = found.chain(installed).chain(beside);
        let all = all.filter_map(|(name, kind, folder)| {
            let folder = folder.canonicalize().ok()?;
            let is_near = folder.starts_with(workspace) || workspace.starts_with(&folder);
            is_near.then_some(Self { name, kind, folder })
        });
        let mut all: Vec<Self> = all.collect();
        // The catalog knows more of a folder than others do.
        all.sort_by(|one, other| {
            (&one.folder, one.kind.is_none()).cmp(&(&other.folder, other.kind.is_none()))
        });
        all.dedup_by(|later, earlier| later.kind.is_none() && later.folder == earlier.folder);
        Ok(all)
    }
}

/// The skills in the folder of an agent, wherever in the workspace that is.
fn beside(workspace: &Path, folder: &Path) -> Vec<(String, PathBuf)> {
    let skills = workspace.join(folder).join("skills");
    let entries = skills.read_dir().into_iter().flatten().flatten();
    let skills = entries.filter_map(|entry| {
        let folder = entry.path();
        let is_skill = ["SKILL.md", "skill.md"]
            .iter()
            .any(|file| folder.join(file).is_file());
        let name = entry.file_name().to_string_lossy().into_owned();
        is_skill.then_some((name, folder))
    });
    skills.collect()
}
