//! The list of sources: which folders are read, in the order of a preset.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::preset::PLUGINS;
use super::{OtherProject, Preset, Source, SourceKind, Surroundings};
use crate::ProjectTrust;
use crate::agents::{self, Home, Variables};
use crate::order::Order;
use crate::ways::real;

/// The folders of skills that are looked into first in a project.
const PROJECT_FOLDERS: [&str; 3] = [".skills", ".agents/skills", ".claude/skills"];

/// Where in a project skills are looked for, the first first.
pub fn project_folders() -> impl Iterator<Item = &'static str> {
    PROJECT_FOLDERS.into_iter().chain(agents::project_folders())
}

impl Surroundings {
    /// The sources in order of precedence, each folder once.
    pub fn sources(&self) -> Vec<Source> {
        let mut list = List::default();
        // Whatever the order: what the organisation pinned is nobody's to take away.
        self.org(&mut list, true);
        match self.preset {
            Preset::Default => self.in_order(&mut list, Order::default()),
            Preset::Own(order) => self.in_order(&mut list, order),
            Preset::AgentHarness => {
                self.at_home(&mut list, SourceKind::Plugin, [PLUGINS]);
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
                let claude = agents::find("claude-code");
                let own = claude.and_then(|claude| claude.user_folder(self.agents_home()));
                self.of_user(&mut list, own);
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
                    self.upward(list, project_folders());
                }
                SourceKind::User => {
                    self.at_home(list, kind, [".agents/skills"]);
                    list.add(kind, self.skillyard_home.join("skills"));
                    self.of_user(list, agents::user_folders(self.agents_home()));
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

    /// The folders of agents for their user.
    fn of_user(&self, list: &mut List, folders: impl IntoIterator<Item = PathBuf>) {
        let is_moved = self.moved();
        for folder in folders {
            if is_moved(&folder) {
                self.elsewhere(list, folder);
            } else {
                list.add(SourceKind::User, folder);
            }
        }
    }

    /// Whether a folder of an agent is where only a variable puts it.
    fn moved(&self) -> impl Fn(&Path) -> bool + use<> {
        let is_any = !self.agent_variables.is_empty();
        let none = Variables::new();
        let usual = is_any.then(|| agents::user_folders(Home::new(self.home.as_deref(), &none)));
        let usual: HashSet<PathBuf> = usual.into_iter().flatten().collect();
        move |folder| is_any && !usual.contains(folder)
    }

    /// A folder that a variable puts elsewhere. In a project it is that project's, because what lies
    /// there comes from others; where it lies in several, by its links, each of them has a say.
    fn elsewhere(&self, list: &mut List, folder: PathBuf) {
        // It would be another one wherever the process happens to be.
        if folder.is_relative() {
            return;
        }
        let around = self.projects_around(&folder);
        let here = real(self.project_root());
        let is_believed = |root: &&PathBuf| **root == here || self.trusted.contains(root);
        if let Some(untrusted) = around.roots.iter().find(|root| !is_believed(root)) {
            list.add_of(untrusted, ProjectTrust::Untrusted, folder);
        } else if around.roots.contains(&here) {
            // Nobody has to list a folder twice because it has two names.
            if !list.known.contains(around.folder.as_os_str()) {
                list.add(SourceKind::Project, folder);
                list.known.insert(around.folder.into_os_string());
            }
        } else if let Some(trusted) = around.roots.first() {
            list.add_of(trusted, ProjectTrust::Trusted, folder);
        } else {
            list.add(SourceKind::User, folder);
        }
    }

    /// The roots of the projects that folders of agents lie in where a variable puts them: real
    /// paths, for whoever knows which of them are trusted.
    pub fn projects_of_agents(&self) -> Vec<PathBuf> {
        let is_moved = self.moved();
        let folders = agents::user_folders(self.agents_home());
        let folders = folders.filter(|folder| folder.is_absolute() && is_moved(folder));
        let roots = folders.flat_map(|folder| self.projects_around(&folder).roots);
        let roots: BTreeSet<PathBuf> = roots.collect();
        roots.into_iter().collect()
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
    /// Folders that are believed are named by their whole path: any other, such as one of a home that
    /// nobody named, would be a folder of wherever the process happens to be.
    fn add(&mut self, kind: SourceKind, root: PathBuf) {
        let is_anyones = matches!(
            kind,
            SourceKind::Project | SourceKind::Extra | SourceKind::Builtin
        );
        if root.is_relative() && !is_anyones {
            return;
        }
        self.put(Source {
            kind,
            root,
            other: None,
        });
    }

    /// A folder of another project than the one at hand.
    fn add_of(&mut self, project: &Path, trust: ProjectTrust, root: PathBuf) {
        let project = project.to_owned();
        self.put(Source {
            kind: SourceKind::Project,
            root,
            other: Some(OtherProject {
                root: project,
                trust,
            }),
        });
    }

    fn put(&mut self, source: Source) {
        let plain: PathBuf = source.root.components().collect();
        if self.known.insert(plain.into_os_string()) {
            self.sources.push(source);
        }
    }

    fn builtin(&mut self) {
        self.add(SourceKind::Builtin, PathBuf::new());
    }
}
