//! The list of sources: which folders are read, in the order of a preset.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::preset::PLUGINS;
use super::{Preset, Surroundings};
use crate::agents::{self, Home, Variables};
use crate::path_probe::resolved;
use crate::source::{OtherProject, ProjectTrust, SkillSource, SourceKind, SourceOrder};

/// The folders of skills that are looked into first in a project.
const PROJECT_FOLDERS: [&str; 3] = [".skills", ".agents/skills", ".claude/skills"];

/// Where in a project skills are looked for, the first first.
pub fn project_folders() -> impl Iterator<Item = &'static str> {
    PROJECT_FOLDERS.into_iter().chain(agents::project_folders())
}

impl Surroundings {
    /// The sources in order of precedence, each folder once.
    pub fn sources(&self) -> Vec<SkillSource> {
        let mut list = SourceList::default();
        // Pinned folders of the organization come first in every order.
        self.org(&mut list, true);
        match self.preset {
            Preset::Default => self.in_order(&mut list, SourceOrder::default()),
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
    fn in_order(&self, list: &mut SourceList, order: SourceOrder) {
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

    fn org(&self, list: &mut SourceList, pinned: bool) {
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
    fn extra(&self, list: &mut SourceList) {
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
    fn of_user(&self, list: &mut SourceList, folders: impl IntoIterator<Item = PathBuf>) {
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
    /// there comes from others; if its links lead through several, each of them counts.
    fn elsewhere(&self, list: &mut SourceList, folder: PathBuf) {
        // It would be another one wherever the process happens to be.
        if folder.is_relative() {
            return;
        }
        let around = self.projects_around(&folder);
        let here = resolved(self.project_root());
        let is_trusted = |root: &&PathBuf| **root == here || self.trusted.contains(root);
        if let Some(untrusted) = around.roots.iter().find(|root| !is_trusted(root)) {
            list.add_of(untrusted, ProjectTrust::Untrusted, folder);
        } else if around.roots.contains(&here) {
            // A folder with two names is listed once.
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
    /// paths, for a caller that knows which of them are trusted.
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
        list: &mut SourceList,
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
    fn upward<'a>(&self, list: &mut SourceList, folders: impl IntoIterator<Item = &'a str>) {
        let folders: Vec<&str> = folders.into_iter().collect();
        for level in self.levels() {
            for folder in &folders {
                list.add(SourceKind::Project, level.join(folder));
            }
        }
    }
}

#[derive(Default)]
struct SourceList {
    sources: Vec<SkillSource>,
    /// Their folders, each written in one way only: `a//b/` is `a/b`.
    known: HashSet<OsString>,
}

impl SourceList {
    /// Trusted folders have absolute paths: a relative one, such as one of a home that is not set, would be
    /// a folder of the current directory of the process.
    fn add(&mut self, kind: SourceKind, root: PathBuf) {
        let is_anyones = matches!(
            kind,
            SourceKind::Project | SourceKind::Extra | SourceKind::Builtin
        );
        if root.is_relative() && !is_anyones {
            return;
        }
        self.put(SkillSource {
            kind,
            root,
            other: None,
        });
    }

    /// A folder of another project than the one at hand.
    fn add_of(&mut self, project: &Path, trust: ProjectTrust, root: PathBuf) {
        let project = project.to_owned();
        self.put(SkillSource {
            kind: SourceKind::Project,
            root,
            other: Some(OtherProject {
                root: project,
                trust,
            }),
        });
    }

    fn put(&mut self, source: SkillSource) {
        let plain: PathBuf = source.root.components().collect();
        if self.known.insert(plain.into_os_string()) {
            self.sources.push(source);
        }
    }

    fn builtin(&mut self) {
        self.add(SourceKind::Builtin, PathBuf::new());
    }
}
