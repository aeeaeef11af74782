//! The folders that agents read skills from: a table, kept as data.

mod home;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

pub use home::{Home, Variables, variables};

use crate::compatibility::Quirk;
use crate::source::{SkillSource, SourceKind};

/// An agent and where it reads skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Agent {
    /// Its name for `--agent`.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its folder in a project.
    pub project: String,
    /// Its folder in the home directory, starting with `~/`.
    pub user: Option<String>,
    /// Further folders in a project that it reads, though nothing is installed there.
    #[serde(default)]
    pub project_also: Vec<String>,
    /// Further folders in the home directory that it reads, starting with `~/`, or where a variable
    /// says, starting with `$`.
    #[serde(default)]
    pub user_also: Vec<String>,
    /// Folders in the home directory, and where they are instead if a variable is set.
    #[serde(default)]
    moved: BTreeMap<String, String>,
    /// What shows that it is in use: paths in the home directory (`~/`) or in a project (`./`).
    #[serde(default)]
    detect: Vec<String>,
    /// Folders of others that it reads too: in the home directory (`~/`) or in a project.
    #[serde(default)]
    shares: Vec<String>,
    /// What keeps it from offering a skill, as it was measured.
    #[serde(default)]
    pub misses: Vec<Quirk>,
    /// What keeps it from reading the frontmatter of a skill, which it offers anyway.
    #[serde(default)]
    pub ignores: Vec<Quirk>,
    /// Whether people call a skill by the name of its folder there, which can have no space then.
    #[serde(default)]
    pub names_folder: bool,
    /// Whether it reads a project's skills in the folder only that it was started in.
    #[serde(default)]
    pub here_only: bool,
    /// What it does with two skills of one name.
    #[serde(default)]
    pub duplicates: Duplicates,
    /// What it wants before it reads a project's skills.
    #[serde(default)]
    pub gate: Option<String>,
    /// Whether it offers a skill that lies inside of another one as a skill of its own.
    #[serde(default)]
    pub reads_inner: bool,
    /// The folder among its users' skills in which it keeps those that are part of it.
    #[serde(default)]
    builtin: Option<String>,
    /// How many characters of descriptions it gives its model at most.
    #[serde(default)]
    pub budget: Option<usize>,
}

/// What an agent does with two skills of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// It takes the project's, as we do.
    #[default]
    Project,
    /// It takes the one at home.
    Home,
    /// It takes either, by chance.
    Random,
    /// It offers both.
    All,
}

impl Agent {
    /// Whether it reads a folder of skills.
    pub fn reads(&self, source: &SkillSource, home: Home<'_>) -> bool {
        let shares = self.shares.iter();
        let in_project = || {
            let also = self.project_also.iter();
            let own = std::iter::once(&self.project).chain(also);
            let mut folders = own.chain(shares.clone().filter(|folder| !folder.starts_with("~/")));
            folders.any(|folder| source.root.ends_with(folder))
        };
        let at_home = || {
            let own = self.user.iter().chain(&self.user_also);
            let mut folders = own.chain(shares.clone());
            folders.any(|folder| home.is_folder(self, folder, &source.root))
        };
        match source.kind {
            SourceKind::Project => in_project() || home.is_moved() && at_home(),
            SourceKind::User => at_home(),
            _ => false,
        }
    }

    /// Its folder for skills of the user, where it lies.
    pub fn user_folder(&self, home: Home<'_>) -> Option<PathBuf> {
        home.folder(self, self.user.as_ref()?)
    }

    /// The skills in a folder of skills that are part of the agent, and no use to others.
    pub(crate) fn builtin(&self, source: &SkillSource, home: Home<'_>) -> Option<PathBuf> {
        let folder = self.builtin.as_ref()?;
        // A project could hide something there.
        let has = source.kind == SourceKind::User && self.reads(source, home);
        has.then(|| source.root.join(folder))
    }

    /// Whether the agent has been used in this home directory or project.
    pub fn is_present(&self, home: Home<'_>, project: &Path) -> bool {
        let exists = |path: &str| match path.strip_prefix("./") {
            Some(path) => project.join(path).exists(),
            // Who moved its folder had it elsewhere before.
            None => home.places(self, path).any(|path| path.exists()),
        };
        if self.detect.is_empty() {
            // Most keep everything in one folder of the home directory, skills too.
            let user = self.user.as_deref().and_then(|user| user.rsplit_once('/'));
            user.is_some_and(|(folder, _)| exists(folder))
        } else {
            self.detect.iter().any(|path| exists(path))
        }
    }
}

/// The agent of an id.
pub fn find(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.id == id)
}

/// Every agent that is known.
pub static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    // The table is part of the program, and a test reads it.
    serde_json::from_str(include_str!("agents.json")).unwrap_or_default()
});

/// The project folders of all agents, each once, hidden ones only.
///
/// A visible folder such as `skills/` is too common a name to be taken for an agent's.
pub(crate) fn project_folders() -> impl Iterator<Item = &'static str> {
    let folders = |agent: &'static Agent| {
        std::iter::once(agent.project.as_str()).chain(agent.project_also.iter().map(String::as_str))
    };
    unique(AGENTS.iter().flat_map(folders))
}

/// The hidden folders that agents may have at the top of a project, such as `.claude`, each once:
/// all that the table names, also in the home directory, because many have the same in both.
pub fn hidden_folders() -> impl Iterator<Item = &'static str> {
    let named = |agent: &'static Agent| {
        let one = std::iter::once(&agent.project).chain(&agent.user);
        let more = agent.project_also.iter().chain(&agent.user_also);
        one.chain(more).chain(&agent.shares).chain(&agent.detect)
    };
    let first = |folder: &'static String| {
        let folder = folder.trim_start_matches("~/").trim_start_matches("./");
        folder.split('/').next().unwrap_or(folder)
    };
    // Programs of every kind keep settings in this one.
    unique(AGENTS.iter().flat_map(named).map(first)).filter(|folder| *folder != ".config")
}

/// The folders in a project that agents read and whose names say nothing, such as `skills`.
pub fn visible_folders() -> impl Iterator<Item = (&'static Agent, &'static str)> {
    let folders = |agent: &'static Agent| {
        let also = agent.project_also.iter().map(String::as_str);
        let all = std::iter::once(agent.project.as_str()).chain(also);
        all.map(move |folder| (agent, folder))
    };
    let all = AGENTS.iter().flat_map(folders);
    all.filter(|(_, folder)| !folder.starts_with('.'))
}

/// The folders that agents read the user's skills from, the first first; some are there twice.
pub(crate) fn user_folders(home: Home<'_>) -> impl Iterator<Item = PathBuf> {
    // Most skills are written for this one.
    let all = find("claude-code").into_iter().chain(AGENTS.iter());
    let own = all.flat_map(move |agent| {
        let folders = agent.user.iter().chain(&agent.user_also);
        folders.filter_map(move |folder| home.folder(agent, folder))
    });
    // What one agent does not read any more, because its folder was moved, others may.
    let left = AGENTS.iter().flat_map(move |agent| {
        let moved = agent
            .user
            .iter()
            .filter_map(move |each| home.left(agent, each));
        moved.filter(|(folder, _)| AGENTS.iter().any(|other| other.shares.contains(folder)))
    });
    own.chain(left.map(|(_, place)| place))
}

fn unique(folders: impl Iterator<Item = &'static str>) -> impl Iterator<Item = &'static str> {
    let mut seen = Vec::new();
    folders.filter(move |folder| {
        let new = folder.starts_with('.') && !seen.contains(folder);
        if new {
            seen.push(folder);
        }
        new
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_is_sorted() {
        assert!(AGENTS.len() > 70);
        assert!(AGENTS.is_sorted_by_key(|agent| &agent.id));
        assert!(project_folders().any(|folder| folder == ".claude/skills"));
        let variables = Variables::new();
        let home = Home::new(Some(Path::new("/h")), &variables);
        assert!(user_folders(home).any(|folder| folder == Path::new("/h/.codex/skills")));
        assert!(project_folders().all(|folder| !folder.contains("..")));
        assert!(find("codex").is_some());
        for own in [".tabnine", ".cursor", ".github", ".firebender"] {
            assert!(hidden_folders().any(|folder| folder == own), "{own}");
        }
        assert!(hidden_folders().all(|folder| folder.len() > 1 && !folder.contains('/')));
        assert!(
            visible_folders().any(|(agent, folder)| (&*agent.id, folder) == ("openclaw", "skills"))
        );
    }

    #[test]
    fn an_agent_is_present_where_its_folder_is() {
        let home = tempfile::tempdir().unwrap();
        let variables = Variables::new();
        let at = Home::new(Some(home.path()), &variables);
        let present = |id: &str| find(id).unwrap().is_present(at, home.path());
        std::fs::create_dir(home.path().join(".agents")).unwrap();
        assert!(!present("codex") && !present("claude-code") && !present("universal"));
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::create_dir(home.path().join(".claude")).unwrap();
        assert!(present("codex") && present("claude-code") && !present("gemini-cli"));
    }
}
