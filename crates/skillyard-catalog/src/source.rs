//! Where skills are read from, and which source wins.
//!
//! Sources are a list in order of precedence. The presets reproduce the orders of
//! other runtimes, so that a catalog here shows what their users see.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agents;
use crate::order::Order;
use crate::presence::is_there;

/// What kind of source a skill came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// An organisation's folder that nothing may shadow.
    OrgPinned,
    /// A folder of installed plugins.
    Plugin,
    /// The project at hand.
    Project,
    /// The user's own folders.
    User,
    /// Folders that the configuration names.
    Extra,
    /// An organisation's folder.
    Org,
    /// Shipped inside the binary.
    Builtin,
    /// Published by an MCP server; never found by looking.
    Mcp,
}

impl SourceKind {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrgPinned => "org-pinned",
            Self::Plugin => "plugin",
            Self::Project => "project",
            Self::User => "user",
            Self::Extra => "extra",
            Self::Org => "org",
            Self::Builtin => "builtin",
            Self::Mcp => "mcp",
        }
    }
}

/// A place that skills are read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its kind.
    pub kind: SourceKind,
    /// Its folder; empty for the skills inside the binary.
    pub root: PathBuf,
}

/// A folder of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether its skills win over all others.
    pub pinned: bool,
}

/// The order of sources, after the organisation's pinned folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// Project, user, extra, organisation, builtin.
    #[default]
    Default,
    /// Plugin, project, claude, user, bundled.
    AgentHarness,
    /// `.skills`, `.agents/skills` upward, home.
    Remcochat,
    /// Builtin, organisation, user, third party.
    KeepUp,
    /// Personal before project.
    ClaudeCode,
    /// The folders of the default order, with their kinds in another one.
    Own(Order),
}

/// The names of the presets.
pub const PRESETS: [(&str, Preset); 5] = [
    ("default", Preset::Default),
    ("agent-harness", Preset::AgentHarness),
    ("remcochat", Preset::Remcochat),
    ("keep-up", Preset::KeepUp),
    ("claude-code", Preset::ClaudeCode),
];

impl Preset {
    /// The folder that it reads, in projects and at home, where it does not read the one that most
    /// agents share.
    pub fn folder(self) -> Option<&'static str> {
        match self {
            Self::Default | Self::Remcochat | Self::Own(_) => None,
            Self::AgentHarness => Some(".agent/skills"),
            Self::KeepUp => Some(".keep-up/skills"),
            Self::ClaudeCode => Some(".claude/skills"),
        }
    }
}

/// As the configuration has it.
impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, PRESETS.iter().find(|(_, each)| each == self)) {
            (Self::Own(order), _) => order.fmt(formatter),
            (_, named) => formatter.write_str(named.map_or("", |(name, _)| name)),
        }
    }
}

/// The folders of skills that are looked into first in a project.
const PROJECT_FOLDERS: [&str; 3] = [".skills", ".agents/skills", ".claude/skills"];

/// The files that make a folder a project which skills are installed in.
const PROJECT_FILES: [&str; 2] = ["skills.toml", "skills.lock"];

/// Whether skills are installed in a folder, or are to be.
pub fn has_project_files(folder: &Path) -> bool {
    PROJECT_FILES
        .iter()
        .any(|name| is_there(&folder.join(name)))
}

/// Everything the list of sources depends on.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The working directory.
    pub current: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Skillyard's own folder.
    pub skillyard_home: PathBuf,
    /// Folders of the organisation.
    pub org: Vec<OrgFolder>,
    /// Further folders, in order.
    pub extra: Vec<PathBuf>,
    /// The order.
    pub preset: Preset,
}

impl Surroundings {
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
        self.outward().find(|folder| is_there(&folder.join(".git")))
    }

    /// The working directory and its parents. What lies in the home directory itself is the user's,
    /// not a project's.
    fn outward(&self) -> impl Iterator<Item = &Path> {
        let levels = self.current.ancestors();
        levels.take_while(|folder| !self.is_home(folder))
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
        let holders: Vec<SourceKind> = sources
            .filter(|source| is_in(&source.root))
            .map(|source| source.kind)
            .collect();
        if !holders.is_empty() {
            // With a link a project can name the user's folders as its own.
            let is_own = holders.iter().all(|kind| *kind == SourceKind::Project);
            return is_own.then(|| self.project_root().to_owned());
        }
        let mut levels = folder.ancestors().take_while(|level| !self.is_home(level));
        let level = levels.find(|level| {
            let mut folders = PROJECT_FOLDERS.into_iter().chain(agents::project_folders());
            folders.any(|each| folder.starts_with(level.join(each)))
        })?;
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

    /// The sources in order of precedence, each folder once.
    pub fn sources(&self) -> Vec<Source> {
        let mut list = List::default();
        // Whatever the order: what the organisation pinned is nobody's to take away.
        self.org(&mut list, true);
        match self.preset {
            Preset::Default => self.in_order(&mut list, Order::default()),
            Preset::Own(order) => self.in_order(&mut list, order),
            Preset::AgentHarness => {
                self.at_home(&mut list, SourceKind::Plugin, [".agent/plugins"]);
                self.upward(&mut list, [".agent/skills"]);
                self.upward(&mut list, [".claude/skills"]);
                self.at_home(&mut list, SourceKind::User, [".agent/skills"]);
                self.extra(&mut list);
                self.org(&mut list, false);
                list.builtin();
            }
            Preset::Remcochat => {
                list.add(SourceKind::Project, self.project_root().join(".skills"));
                self.upward(&mut list, [".agents/skills"]);
                self.at_home(
                    &mut list,
                    SourceKind::User,
                    [".agents/skills", ".remcochat/skills"],
                );
                self.extra(&mut list);
                self.org(&mut list, false);
                list.builtin();
            }
            Preset::KeepUp => {
                list.builtin();
                self.org(&mut list, false);
                self.at_home(&mut list, SourceKind::User, [".keep-up/skills"]);
                self.upward(&mut list, [".keep-up/skills"]);
                self.extra(&mut list);
            }
            Preset::ClaudeCode => {
                self.at_home(&mut list, SourceKind::User, [".claude/skills"]);
                self.upward(&mut list, [".claude/skills"]);
                self.extra(&mut list);
                self.org(&mut list, false);
                list.builtin();
            }
        }
        list.sources
    }

    /// The usual folders, kind by kind.
    fn in_order(&self, list: &mut List, order: Order) {
        for kind in order.kinds() {
            match kind {
                SourceKind::Project => {
                    let folders = PROJECT_FOLDERS.into_iter();
                    self.upward(list, folders.chain(agents::project_folders()));
                }
                SourceKind::User => {
                    self.at_home(list, kind, [".agents/skills"]);
                    list.add(kind, self.skillyard_home.join("skills"));
                    let folders = [".claude/skills"].into_iter().chain(agents::user_folders());
                    self.at_home(list, kind, folders);
                }
                SourceKind::Extra => self.extra(list),
                SourceKind::Org => self.org(list, false),
                SourceKind::Builtin => list.builtin(),
                // They stand in no such order.
                SourceKind::OrgPinned | SourceKind::Plugin | SourceKind::Mcp => {}
            }
        }
    }

    fn org(&self, list: &mut List, pinned: bool) {
        let kind = if pinned {
            SourceKind::OrgPinned
        } else {
            SourceKind::Org
        };
        for folder in self.org.iter().filter(|folder| folder.pinned == pinned) {
            list.add(kind, folder.path.clone());
        }
    }

    /// Folders that the configuration names. A relative one is a folder of whichever project is at
    /// hand, so it is that project's, and not chosen by the user as an absolute one is.
    fn extra(&self, list: &mut List) {
        let root = self.project_root();
        for folder in &self.extra {
            let kind = if folder.is_absolute() || self.is_home(root) {
                SourceKind::Extra
            } else {
                SourceKind::Project
            };
            list.add(kind, root.join(folder));
        }
    }

    fn at_home<'a>(
        &self,
        list: &mut List,
        kind: SourceKind,
        folders: impl IntoIterator<Item = &'a str>,
    ) {
        if let Some(home) = &self.home {
            for folder in folders {
                list.add(kind, home.join(folder));
            }
        }
    }

    /// The folders at the working directory, then at each parent up to the project's root.
    fn upward<'a>(&self, list: &mut List, folders: impl IntoIterator<Item = &'a str>) {
        let folders: Vec<&str> = folders.into_iter().collect();
        for level in self.levels() {
            for folder in &folders {
                list.add(SourceKind::Project, level.join(folder));
            }
        }
    }
}

#[derive(Default)]
struct List {
    sources: Vec<Source>,
    /// Their folders, each written in one way only: `a//b/` is `a/b`.
    known: HashSet<OsString>,
}

impl List {
    fn add(&mut self, kind: SourceKind, root: PathBuf) {
        let plain: PathBuf = root.components().collect();
        if self.known.insert(plain.into_os_string()) {
            self.sources.push(Source { kind, root });
        }
    }

    fn builtin(&mut self) {
        self.add(SourceKind::Builtin, PathBuf::new());
    }
}
