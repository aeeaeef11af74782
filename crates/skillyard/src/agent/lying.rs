//! The skills that lie in a workspace, or that it lies in, whether an agent may use them or not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings;
use skillyard_catalog::walk::{Extent, Links, SkillWalk, WalkLimits, WalkScope};

use crate::context::Context;
use crate::error::CommandError;
use crate::library;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter};

/// How far skills are looked for in the folder of an agent: no skill lies deeper than its files may.
const LIMITS: WalkLimits = WalkLimits {
    depth: 16,
    folders: 100_000,
};

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
        let catalog = library::discover(context, IndexMode::Look, &NameFilter::default())?;
        let found = catalog.all();
        let found = found.filter(|skill| skill.kind != SourceKind::Builtin);
        let found = found.map(|skill| {
            let name = skill.record.name.clone();
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

/// The skills in the folder of an agent, wherever in the workspace that is, and however deep they lie
/// in it: by its path each of them can be run.
fn beside(workspace: &Path, folder: &Path) -> Vec<(String, PathBuf)> {
    let walk = SkillWalk {
        limits: LIMITS,
        links: Links::Within(vec![workspace.to_owned()]),
        extent: Extent::Head,
        scope: WalkScope::Everything,
    };
    let found = |root: PathBuf| {
        let walked = walk.run(&root, |found| found.folder.to_owned());
        // A file that cannot be read makes a folder no less a skill's.
        let refused = walked.skipped.into_iter().map(|skipped| skipped.path);
        let refused = refused.filter(|path| path.ends_with("SKILL.md"));
        let refused = refused.filter_map(|path| Some(path.parent()?.to_owned()));
        walked.skills.into_iter().chain(refused.collect::<Vec<_>>())
    };
    let folders = skill_folders(&workspace.join(folder)).into_iter();
    let skills = folders.flat_map(found).filter_map(|folder| {
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some((name, folder))
    });
    skills.collect()
}

/// The folders of skills in the folder of an agent, which may itself be one.
fn skill_folders(folder: &Path) -> BTreeSet<PathBuf> {
    let (Some(level), Some(name)) = (folder.parent(), folder.file_name()) else {
        return BTreeSet::new();
    };
    let known = surroundings::project_folders().filter(|known| Path::new(known).starts_with(name));
    let known = known.map(|known| level.join(known));
    // Where the table has none, it is called so by custom.
    known.chain([folder.join("skills")]).collect()
}
