//! Where an installation belongs: to the user, or to one project.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use skillyard_catalog::agents::{Home, Variables};
use skillyard_catalog::path_probe::resolved;
use skillyard_format::Digest;

use crate::folder_identity::FolderIdentity;

/// How the names of records of single folders begin.
const FOLDER_RECORD: &str = "folder-";

/// Whose skills they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// All projects of the user.
    User,
    /// One project, for everyone who works on it.
    Project,
}

impl ScopeKind {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// The folder that targets are relative to, and the files that say what is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Whose it is.
    pub kind: ScopeKind,
    /// The project's root, or the home directory.
    pub root: PathBuf,
    /// Skillyard's own folder, which no project can write to.
    pub skillyard_home: PathBuf,
    /// The targets that are not below the root, because the user has folders of agents elsewhere.
    pub(crate) moved: Vec<(String, PathBuf)>,
}

impl Scope {
    /// The scope of the project at `root`.
    pub fn project(root: &Path, skillyard_home: &Path) -> Self {
        Self {
            kind: ScopeKind::Project,
            root: root.to_owned(),
            skillyard_home: skillyard_home.to_owned(),
            moved: Vec::new(),
        }
    }

    /// The scope of the user, where variables may name other folders for agents.
    pub fn user(home: &Path, variables: &Variables, skillyard_home: &Path) -> Self {
        Self {
            kind: ScopeKind::User,
            root: home.to_owned(),
            skillyard_home: skillyard_home.to_owned(),
            moved: Home::new(Some(home), variables).moved_folders(),
        }
    }

    /// The file that pins what is installed.
    pub fn lock_file(&self) -> PathBuf {
        match self.kind {
            ScopeKind::User => self.skillyard_home.join("lock.toml"),
            ScopeKind::Project => self.root.join("skills.lock"),
        }
    }

    /// The file that says what is wanted; the user's scope has none.
    pub fn manifest_file(&self) -> Option<PathBuf> {
        match self.kind {
            ScopeKind::User => None,
            ScopeKind::Project => Some(self.root.join("skills.toml")),
        }
    }

    /// The file that a change in progress is written to.
    pub(crate) fn journal_file(&self) -> PathBuf {
        self.own_file("journal", "json", &self.path_key())
    }

    /// The file that says what this machine put into a project, whose lock others change too.
    ///
    /// It goes with the folder, wherever that is moved to; another one in the same place has its own.
    pub fn placed_file(&self) -> Option<PathBuf> {
        (self.kind == ScopeKind::Project)
            .then(|| self.own_file("placed", "toml", &self.folder_key()))
    }

    /// The file that says what was put into a folder of the user's agents, wherever variables put
    /// that folder now.
    pub fn folder_record(skillyard_home: &Path, folder: &Path) -> PathBuf {
        let key = Digest::of(resolved(folder).as_os_str().as_encoded_bytes());
        let name = format!("{FOLDER_RECORD}{}.toml", &key.to_hex()[..32]);
        skillyard_home.join("placed").join(name)
    }

    /// The names of all these files.
    pub fn folder_records(skillyard_home: &Path) -> HashSet<OsString> {
        let entries = skillyard_home.join("placed").read_dir();
        let names = entries.into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name());
        names.filter(|name| is_folder_record(name)).collect()
    }

    /// The file that says which folders were made for skills.
    pub(crate) fn made_file(&self) -> PathBuf {
        self.own_file("placed", "made", &self.folder_key())
    }

    /// The file that says which skills were there before they were installed.
    pub(crate) fn found_file(&self) -> PathBuf {
        self.own_file("placed", "found", &self.folder_key())
    }

    /// A name for the root that goes with it.
    fn folder_key(&self) -> Digest {
        FolderIdentity::of(&self.root).map_or_else(|| self.path_key(), FolderIdentity::digest)
    }

    /// A name for where the root is.
    fn path_key(&self) -> Digest {
        let root = self.root.canonicalize();
        let root = root.as_deref().unwrap_or(&self.root);
        Digest::of(root.as_os_str().as_encoded_bytes())
    }

    /// A file of this scope in a folder of Skillyard's own.
    fn own_file(&self, folder: &str, extension: &str, key: &Digest) -> PathBuf {
        let key = key.to_hex();
        let name = format!("{}-{}.{extension}", self.kind.as_str(), &key[..32]);
        self.skillyard_home.join(folder).join(name)
    }

    /// The folder whose lock keeps other processes out.
    pub(crate) fn guarded_folder(&self) -> &Path {
        match self.kind {
            ScopeKind::User => &self.skillyard_home,
            ScopeKind::Project => &self.root,
        }
    }

    /// A target folder of this scope.
    pub fn target(&self, target: &str) -> PathBuf {
        self.moved(target)
            .map_or_else(|| self.root.join(target), Path::to_owned)
    }

    /// Where a target lies that is not below the root.
    pub(crate) fn moved(&self, target: &str) -> Option<&Path> {
        let mut moved = self.moved.iter();
        let moved = moved.find(|(each, _)| each == target);
        moved.map(|(_, folder)| folder.as_path())
    }

    /// The same scope with a target in a folder that is not below the root.
    #[must_use]
    pub(crate) fn with_moved(mut self, target: &str, folder: &Path) -> Self {
        self.moved.retain(|(each, _)| each != target);
        self.moved.push((target.to_owned(), folder.to_owned()));
        self
    }

    /// Where a target lies as long as no variable puts it elsewhere; nothing where none does.
    pub fn usual(&self, target: &str) -> Option<PathBuf> {
        let usual = self.root.join(target);
        self.moved(target)
            .is_some_and(|moved| *moved != *usual)
            .then_some(usual)
    }

    /// The targets that are not below the root.
    pub fn moved_targets(&self) -> impl Iterator<Item = &Path> {
        self.moved.iter().map(|(_, folder)| folder.as_path())
    }

    /// The folders that everything of this scope lies in.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.root.as_path()).chain(self.moved_targets())
    }
}

/// Whether a file of `placed/` says what was put into a folder of the user's agents.
pub(crate) fn is_folder_record(name: &OsStr) -> bool {
    name.as_encoded_bytes()
        .starts_with(FOLDER_RECORD.as_bytes())
}
