//! The folders that agents read skills from: a table, kept as data.

use std::sync::LazyLock;

use serde::Deserialize;

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
    /// Further folders in the home directory that it reads, starting with `~/`.
    #[serde(default)]
    pub user_also: Vec<String>,
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

/// The folders of all agents below the home directory, each once.
pub(crate) fn user_folders() -> impl Iterator<Item = &'static str> {
    let folders = |agent: &'static Agent| agent.user.iter().chain(&agent.user_also);
    let at_home = |folder: &'static String| folder.strip_prefix("~/");
    unique(AGENTS.iter().flat_map(folders).filter_map(at_home))
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
        assert!(user_folders().any(|folder| folder == ".codex/skills"));
        assert!(project_folders().all(|folder| !folder.contains("..")));
    }
}
