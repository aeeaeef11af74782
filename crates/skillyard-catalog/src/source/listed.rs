//! The list of sources: which folders are read, in the order of a preset.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use super::preset::PLUGINS;
use super::{Preset, Source, SourceKind, Surroundings};
use crate::agents;
use crate::order::Order;

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

    /// The folders of agents for their user. One that a variable puts into a repository is a folder
    /// of that repository: what lies there comes from others.
    fn of_user(&self, list: &mut List, folders: impl IntoIterator<Item = PathBuf>) {
        let is_moved = !self.agent_variables.is_empty();
        let repository = is_moved.then(|| self.repository()).flatten();
        for folder in folders {
            let is_inside = repository.is_some_and(|around| folder.starts_with(around));
            let kind = if is_inside {
                SourceKind::Project
            } else {
                SourceKind::User
            };
            list.add(kind, folder);
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
        let plain: PathBuf = root.components().collect();
        if self.known.insert(plain.into_os_string()) {
            self.sources.push(Source { kind, root });
        }
    }

    fn builtin(&mut self) {
        self.add(SourceKind::Builtin, PathBuf::new());
    }
}
