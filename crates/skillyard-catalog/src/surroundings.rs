//! Where skills are looked for: the project around the working directory, the home, and the order of sources.
//!
//! The presets reproduce the orders of other runtimes, so that a catalog here shows what their users see.

mod preset;
mod sources;

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::agents::{Home, Variables};
use crate::path_probe::{link_steps, resolved};
use crate::source::{OrgFolder, SkillSource, SourceKind};

pub use preset::{PRESETS, Preset};
pub use sources::project_folders;

/// The files that make a folder a project which skills are installed in.
const PROJECT_FILES: [&str; 2] = ["skills.toml", "skills.lock"];

/// Whether skills are or will be installed in a folder.
pub fn has_project_files(folder: &Path) -> bool {
    PROJECT_FILES.iter().any(|name| folder.join(name).exists())
}

/// Everything the list of sources depends on.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The working directory.
    pub current: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The variables that are set and name folders of agents.
    pub agent_variables: Variables,
    /// Skillyard's own folder.
    pub skillyard_home: PathBuf,
    /// Folders of the organisation.
    pub org: Vec<OrgFolder>,
    /// Further folders, in order.
    pub extra: Vec<PathBuf>,
    /// The order.
    pub preset: Preset,
    /// Which of the projects that folders of agents lie in are trusted, beside the one at hand.
    pub trusted: Vec<PathBuf>,
}

/// Where a folder lies.
pub(super) struct Around {
    /// Its real path.
    pub(super) folder: PathBuf,
    /// The real roots of the projects around it, or around a link on the way to it.
    pub(super) roots: BTreeSet<PathBuf>,
}

impl Surroundings {
    /// Where agents have their folders.
    pub fn agents_home(&self) -> Home<'_> {
        Home::new(self.home.as_deref(), &self.agent_variables)
    }

    /// The root of the repository around the working directory, else the nearest folder there that
    /// skills are installed in, else the directory itself.
    pub fn project_root(&self) -> &Path {
        let root = self.repository().or_else(|| self.install_root());
        root.unwrap_or(&self.current)
    }

    /// The nearest folder with a `skills.toml`, a `skills.lock` or a repository, below the home.
    pub fn install_root(&self) -> Option<&Path> {
        let repository = self.repository();
        let mut outward = self.outward();
        outward.find(|folder| {
            // A repository is one unit. Elsewhere other users can write into a folder such
            // as `/tmp`, and must not make what others have there part of a project.
            Some(*folder) == repository
                || has_project_files(folder) && (repository.is_some() || self.has_owner_of(folder))
        })
    }

    /// The working directory and its parents up to the project's root, all below the home.
    pub fn levels(&self) -> impl Iterator<Item = &Path> {
        let root = self.project_root();
        let outward = self.outward();
        outward.take_while(move |folder| folder.starts_with(root))
    }

    /// The root of the repository around the working directory, below the home.
    pub fn repository(&self) -> Option<&Path> {
        self.outward().find(|folder| folder.join(".git").exists())
    }

    /// The working directory and its parents. Skills in the home directory itself are the user's,
    /// not a project's.
    fn outward(&self) -> impl Iterator<Item = &Path> {
        let levels = self.current.ancestors();
        levels.take_while(|folder| !self.is_home(folder))
    }

    /// The projects that have a say about an absolute folder, however it is written. A repository in
    /// another one is a project of its own; a folder in none is a project's if it is one that skills
    /// are looked for in here.
    pub(super) fn projects_around(&self, folder: &Path) -> Around {
        let steps = link_steps(folder);
        let own = |step: &Path| {
            let is_own = |level: &Path| project_folders().any(|each| step == level.join(each));
            self.levels().any(is_own).then(|| self.project_root())
        };
        let roots = steps.iter().filter_map(|step| {
            let around = Self {
                current: step.clone(),
                home: self.home.clone(),
                ..Self::default()
            };
            let root = around.repository().or_else(|| around.install_root());
            root.or_else(|| own(step)).map(resolved)
        });
        Around {
            roots: roots.collect(),
            folder: steps.last().cloned().unwrap_or_default(),
        }
    }

    /// Whether a parent, and what makes it a project, has the owner of the working directory.
    fn has_owner_of(&self, folder: &Path) -> bool {
        let owner = |path: &Path| path.symlink_metadata().ok().map(|found| found.uid());
        let own = owner(&self.current);
        let is_own = |path: &Path| own.is_some() && owner(path) == own;
        let mut files = PROJECT_FILES.iter().map(|name| folder.join(name));
        folder == self.current || is_own(folder) && files.any(|file| is_own(&file))
    }

    /// The root of the project among whose skills a folder lies, be it this project or another.
    pub fn project_of(&self, folder: &Path) -> Option<PathBuf> {
        let is_in = |root: &Path| {
            let whole = root.canonicalize();
            folder.starts_with(root) || whole.is_ok_and(|root| folder.starts_with(root))
        };
        let sources = self.sources().into_iter();
        let sources = sources.filter(|source| source.kind != SourceKind::Builtin);
        let holders: Vec<SkillSource> = sources.filter(|source| is_in(&source.root)).collect();
        if !holders.is_empty() {
            // With a link a project can name the user's folders as its own.
            let is_own = |source: &SkillSource| source.kind == SourceKind::Project;
            let is_own = holders.iter().all(is_own);
            let other = holders.into_iter().find_map(|source| source.other);
            let root = || other.map_or_else(|| self.project_root().to_owned(), |other| other.root);
            return is_own.then(root);
        }
        let mut levels = folder.ancestors().take_while(|level| !self.is_home(level));
        let level = levels
            .find(|level| project_folders().any(|each| folder.starts_with(level.join(each))))?;
        let around = Self {
            current: level.to_owned(),
            ..self.clone()
        };
        Some(around.project_root().to_owned())
    }

    /// Whether the folder is the home directory, which may be named through a link.
    pub fn is_home(&self, folder: &Path) -> bool {
        self.home.as_deref().is_some_and(|home| {
            home == folder || home.canonicalize().is_ok_and(|home| home == folder)
        })
    }
}
