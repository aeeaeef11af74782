//! What lies around the working directory: the project that it is part of, and the home.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::listed::project_folders;
use super::{OrgFolder, Preset, Source, SourceKind};
use crate::agents::{Home, Variables};
use crate::ways::{real, ways};

/// The files that make a folder a project which skills are installed in.
const PROJECT_FILES: [&str; 2] = ["skills.toml", "skills.lock"];

/// Whether skills are installed in a folder, or are to be.
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
    /// The real roots of the projects that it, or a link on the way to it, lies in.
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
            // What is in a repository is one thing. Elsewhere anybody can write into a folder such
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

    /// The working directory and its parents. What lies in the home directory itself is the user's,
    /// not a project's.
    fn outward(&self) -> impl Iterator<Item = &Path> {
        let levels = self.current.ancestors();
        levels.take_while(|folder| !self.is_home(folder))
    }

    /// The projects that have a say about an absolute folder, however it is written. A repository in
    /// another one is a project of its own; a folder in none is a project's if it is one that skills
    /// are looked for in here.
    pub(super) fn projects_around(&self, folder: &Path) -> Around {
        let ways = ways(folder);
        let own = |way: &Path| {
            let is_own = |level: &Path| project_folders().any(|each| way == level.join(each));
            self.levels().any(is_own).then(|| self.project_root())
        };
        let roots = ways.iter().filter_map(|way| {
            let around = Self {
                current: way.clone(),
                home: self.home.clone(),
                ..Self::default()
            };
            let root = around.repository().or_else(|| around.install_root());
            root.or_else(|| own(way)).map(real)
        });
        Around {
            roots: roots.collect(),
            folder: ways.last().cloned().unwrap_or_default(),
        }
    }

    /// Whether a parent, and what makes it a project, belongs to whom the working directory does.
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
        let holders: Vec<Source> = sources.filter(|source| is_in(&source.root)).collect();
        if !holders.is_empty() {
            // With a link a project can name the user's folders as its own.
            let is_own = |source: &Source| source.kind == SourceKind::Project;
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
