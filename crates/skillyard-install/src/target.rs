//! The folders a skill is put into, from the table of agents.
//!
//! `.agents/skills` is read by nearly every client; Claude Code reads only `.claude/skills`.
//! The order of sources may be one that reads neither, and then its folder is added: what is
//! installed here is to be found here.
//! Copies are the rule because some clients do not follow links that leave a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillyard_catalog::agents::{self, AGENTS, Agent, Home};
use skillyard_catalog::surroundings::{PRESETS, Preset};

use crate::scope::{Scope, ScopeKind};
use crate::source_path::last_part;

/// The folder that most agents share.
pub const SHARED: &str = ".agents/skills";
/// The folder of the agent that does not read the shared one.
const CLAUDE: &str = ".claude/skills";
/// Where skills are put most often.
pub(crate) const USUAL: [&str; 2] = [SHARED, CLAUDE];

/// Which agents a skill is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AgentChoice {
    /// The shared folder, Claude Code's where it is in use, and what the order of sources reads.
    #[default]
    Usual,
    /// Every agent that is in use here.
    All,
    /// These agents.
    Named(Vec<String>),
}

/// Why a target cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No such agent.
    #[error("there is no agent `{name}`")]
    NoSuchAgent {
        /// What was asked for.
        name: String,
        /// The nearest that exists.
        nearest: Option<&'static str>,
    },
    /// The agent reads skills only in projects.
    #[error("`{0}` reads skills only in projects")]
    ProjectOnly(String),
}

impl AgentChoice {
    /// Understands `all` and lists of names.
    pub fn of(names: &[String]) -> Self {
        if listed(names).any(|name| means_all(&name)) {
            Self::All
        } else {
            Self::by_name(names)
        }
    }

    /// The same without `all`, which means something else on each machine.
    pub fn by_name(names: &[String]) -> Self {
        let names: Vec<String> = listed(names).filter(|name| !means_all(name)).collect();
        if names.is_empty() {
            Self::Usual
        } else {
            Self::Named(names)
        }
    }

    /// The folders, relative to the scope's root, sorted and each once.
    pub fn targets(
        &self,
        scope: &Scope,
        home: Home<'_>,
        order: Preset,
    ) -> Result<Vec<String>, TargetError> {
        let present = |agent: &&Agent| agent.is_present(home, &scope.root);
        let mut targets = Vec::new();
        match self {
            Self::Usual => {
                targets.push(SHARED.to_owned());
                let claude = agents::find("claude-code").is_some_and(|agent| present(&agent));
                if claude {
                    targets.push(CLAUDE.to_owned());
                }
                let read = match scope.kind {
                    ScopeKind::User => order.installed_folder(),
                    ScopeKind::Project => order.folder(),
                };
                targets.extend(read.map(str::to_owned));
            }
            Self::All => {
                targets.extend([SHARED.to_owned(), CLAUDE.to_owned()]);
                let used = AGENTS.iter().filter(present);
                targets.extend(used.filter_map(|agent| folder(agent, scope.kind)));
            }
            Self::Named(names) => {
                for name in names {
                    let agent = TargetError::known(name)?;
                    let folder = folder(agent, scope.kind);
                    targets.push(folder.ok_or_else(|| TargetError::ProjectOnly(name.clone()))?);
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(targets)
    }
}

/// The names in a list, of which each may be several.
fn listed(names: &[String]) -> impl Iterator<Item = String> {
    let names = names.iter().flat_map(|name| name.split(','));
    let names = names.map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty())
}

fn means_all(name: &str) -> bool {
    matches!(name, "all" | "*")
}

/// Where the locks lie that could name a skill in this folder of skills, outermost first: at the
/// roots that it would be the folder of an agent of.
pub fn roots(folder: &Path) -> Vec<PathBuf> {
    let of_agents = AGENTS.iter().flat_map(|agent| {
        let at_home = agent
            .user
            .as_deref()
            .and_then(|user| user.strip_prefix("~/"));
        let also = agent.project_also.iter().map(String::as_str);
        at_home
            .into_iter()
            .chain([agent.project.as_str()])
            .chain(also)
    });
    let of_presets = PRESETS
        .iter()
        .flat_map(|(_, preset)| [preset.folder(), preset.installed_folder()])
        .flatten();
    let usual = USUAL.into_iter().chain(of_presets);
    // Nearly all of them are ruled out by their last part, which is quicker than comparing paths.
    let last = folder.file_name().and_then(|name| name.to_str());
    let targets = of_agents
        .chain(usual)
        .filter(|target| last_part(target) == last);
    let targets = targets.map(Path::new);
    let roots = targets.filter(|target| folder.ends_with(target));
    let roots = roots.filter_map(|target| folder.ancestors().nth(target.components().count()));
    let mut roots: Vec<PathBuf> = roots.map(Path::to_owned).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// Whether a path is the folder that some agent reads skills from, in a project or at home.
pub(crate) fn is_target(path: &str) -> bool {
    let kinds = [ScopeKind::Project, ScopeKind::User];
    let is_folder = |agent: &Agent| {
        kinds
            .iter()
            .any(|kind| folder(agent, *kind).as_deref() == Some(path))
    };
    let mut at_home = PRESETS
        .iter()
        .filter_map(|(_, each)| each.installed_folder());
    is_usual(path) || at_home.any(|each| each == path) || AGENTS.iter().any(is_folder)
}

/// Whether a path could be the folder of an agent that this version does not know.
pub(crate) fn may_be_target(path: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && !matches!(part, "." | ".." | ".git");
    path.starts_with('.') && path.ends_with("/skills") && path.split('/').all(is_name)
}

/// Whether some agent reads skills from this folder of a project.
pub(crate) fn is_read_in_projects(path: &str) -> bool {
    let reads =
        |agent: &Agent| agent.project == path || agent.project_also.iter().any(|also| also == path);
    is_usual(path) || AGENTS.iter().any(reads)
}

/// Whether a path is a folder that skills are put into where no agents are named.
fn is_usual(path: &str) -> bool {
    let mut presets = PRESETS.iter().filter_map(|(_, preset)| preset.folder());
    path == SHARED || path == CLAUDE || presets.any(|folder| folder == path)
}

fn folder(agent: &Agent, kind: ScopeKind) -> Option<String> {
    match kind {
        ScopeKind::Project => Some(agent.project.clone()),
        ScopeKind::User => agent.user.as_deref()?.strip_prefix("~/").map(str::to_owned),
    }
}

/// What a manifest names so that its skills are for one more agent: those that it names, or where it
/// names none those of the folders that the skills are in, which would not be meant any more.
pub fn agents_with<'a>(
    listed: &[String],
    targets: impl IntoIterator<Item = &'a str>,
    agent: &Agent,
) -> Vec<String> {
    let mut names = match AgentChoice::of(listed) {
        AgentChoice::Named(names) => names,
        AgentChoice::Usual | AgentChoice::All => {
            let targets: BTreeSet<&str> = targets.into_iter().collect();
            let ids = targets.into_iter().filter_map(|target| match target {
                SHARED => Some("universal"),
                _ => AGENTS
                    .iter()
                    .find(|each| each.project == target)
                    .map(|each| &*each.id),
            });
            ids.map(str::to_owned).collect()
        }
    };
    names.retain(|name| *name != agent.id);
    names.push(agent.id.clone());
    names
}

/// The names that were meant, where some are of no agent and each of those is nearly one.
pub fn meant(names: &[String]) -> Option<Vec<String>> {
    let AgentChoice::Named(names) = AgentChoice::of(names) else {
        return None;
    };
    let meant = names.into_iter().map(|name| match agents::find(&name) {
        Some(_) => Some(name),
        None => nearest(&name).map(str::to_owned),
    });
    meant.collect()
}

impl TargetError {
    /// The agent of a name; where there is none, the error has the one that was meant.
    pub fn known(name: &str) -> Result<&'static Agent, Self> {
        agents::find(name).ok_or_else(|| Self::NoSuchAgent {
            name: name.to_owned(),
            nearest: nearest(name),
        })
    }
}

/// What some call an agent whose name has nothing of that.
const ALSO_CALLED: &[(&str, &str)] = &[
    ("antigravity-ide", "antigravity"),
    ("factory", "droid"),
    ("visual-studio-code", "github-copilot"),
    ("vs-code", "github-copilot"),
    ("vscode", "github-copilot"),
];

/// The agent that is called so by some, whose name has this for a part, as `claude-code` has
/// `claude`, or that is nearly called so.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let ids = || AGENTS.iter().map(|agent| agent.id.as_str());
    let is_called = |(called, _): &&(&str, &'static str)| *called == name;
    let called = ALSO_CALLED.iter().find(is_called).map(|(_, id)| *id);
    let begins = || ids().find(|id| *id == name || id.starts_with(&format!("{name}-")));
    let has = || ids().find(|id| id.split('-').any(|part| part == name));
    let near = || skillyard_format::text::nearest(&name, ids());
    called.or_else(begins).or_else(has).or_else(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_skills_leads_to_the_locks_that_could_name_it() {
        let roots = |folder: &str| roots(Path::new(folder));
        assert_eq!(
            roots("/p/.claude/skills"),
            ["/p", "/p/.claude"].map(PathBuf::from)
        );
        assert_eq!(roots("/p/.github/skills")[0], Path::new("/p"));
        assert!(roots("/p/lib").is_empty() && roots("/").is_empty());
        assert_eq!(roots("/p/.claude/./skills/"), roots("/p/.claude/skills"));
        for agent in AGENTS.iter() {
            let found = roots(&format!("/p/{}", agent.project));
            assert!(found.contains(&PathBuf::from("/p")), "{}", agent.id);
        }
    }

    #[test]
    fn who_is_named_beside_all_is_named() {
        let names = |listed: &[&str]| {
            let listed: Vec<String> = listed.iter().map(|each| (*each).to_owned()).collect();
            (AgentChoice::of(&listed), AgentChoice::by_name(&listed))
        };
        let goose = || AgentChoice::Named(vec!["goose".to_owned()]);
        assert_eq!(names(&["all", "goose"]), (AgentChoice::All, goose()));
        assert_eq!(names(&["goose, *"]), (AgentChoice::All, goose()));
        assert_eq!(names(&["goose"]), (goose(), goose()));
        assert_eq!(names(&["all"]), (AgentChoice::All, AgentChoice::Usual));
    }

    #[test]
    fn one_more_agent_does_not_push_out_the_others() {
        let with = |listed: &[&str], targets: &[&str]| {
            let listed: Vec<String> = listed.iter().map(|each| (*each).to_owned()).collect();
            let claude = agents::find("claude-code").unwrap();
            agents_with(&listed, targets.iter().copied(), claude).join(" ")
        };
        let shared = [SHARED, SHARED];
        assert_eq!(with(&[], &shared), "universal claude-code");
        assert_eq!(with(&["all"], &shared), "universal claude-code");
        assert_eq!(
            with(&["codex", "goose"], &shared),
            "codex goose claude-code"
        );
        assert_eq!(with(&["claude-code", "codex"], &[]), "codex claude-code");
        assert_eq!(with(&[], &[CLAUDE, ".goose/skills"]), "goose claude-code");
    }

    #[test]
    fn all_names_that_were_meant_are_told() {
        let meant = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|each| (*each).to_owned()).collect();
            meant(&names).map(|names| names.join(" "))
        };
        let both = Some("claude-code codex goose".to_owned());
        assert_eq!(meant(&["claude", "codx", "goose"]), both);
        assert_eq!(meant(&["claude", "no-such-agent-at-all"]), None);
        assert_eq!(meant(&[]), None);
    }

    #[test]
    fn who_has_the_word_in_its_name_comes_before_who_is_nearly_called_so() {
        for (name, expected) in [
            ("kiro", "kiro-cli"),
            ("copilot", "github-copilot"),
            ("vscode", "github-copilot"),
            ("Gemini", "gemini-cli"),
            ("kilos", "kilo"),
        ] {
            assert_eq!(nearest(name), Some(expected), "{name}");
        }
        for (_, id) in ALSO_CALLED {
            assert!(agents::find(id).is_some(), "{id}");
        }
    }
}
