//! Where the folders lie that agents keep for their user: in the home directory, or where a variable
//! of theirs says. This is the one place that resolves them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{AGENTS, Agent};

/// Variables that name folders of agents, by their names, as far as they are set.
pub type Variables = BTreeMap<String, PathBuf>;

/// The home directory, as agents see it.
#[derive(Debug, Clone, Copy)]
pub struct Home<'a> {
    root: Option<&'a Path>,
    variables: &'a Variables,
}

impl<'a> Home<'a> {
    /// A home directory, and the variables that are set.
    pub fn new(root: Option<&'a Path>, variables: &'a Variables) -> Self {
        Self { root, variables }
    }

    /// Whether any folder may lie elsewhere.
    pub(crate) fn is_moved(self) -> bool {
        !self.variables.is_empty()
    }

    /// Where a folder of an agent is that the table has with `~/` or with a variable.
    pub(super) fn folder(self, agent: &Agent, written: &str) -> Option<PathBuf> {
        match written.strip_prefix('$') {
            Some(named) => self.named(named),
            None => self.moved(agent, written).or_else(|| self.usual(written)),
        }
    }

    /// Where it is, and where it may have been before a variable was set.
    pub(super) fn places(self, agent: &Agent, written: &str) -> impl Iterator<Item = PathBuf> {
        let before = self.moved(agent, written).and_then(|_| self.usual(written));
        self.folder(agent, written).into_iter().chain(before)
    }

    /// A folder of an agent that lies elsewhere now, and where it was.
    pub(super) fn left<'b>(
        self,
        agent: &Agent,
        written: &'b String,
    ) -> Option<(&'b String, PathBuf)> {
        let moved = self.moved(agent, written)?;
        let usual = self.usual(written).filter(|usual| *usual != moved)?;
        Some((written, usual))
    }

    /// Whether a folder of an agent is this one.
    pub(super) fn is_folder(self, agent: &Agent, written: &str, path: &Path) -> bool {
        if self.is_moved() {
            return self.folder(agent, written).as_deref() == Some(path);
        }
        // Asked for each agent and each source.
        let below = written.strip_prefix("~/").map(Path::new);
        let own = self.root.and_then(|root| path.strip_prefix(root).ok());
        below.is_some() && own == below
    }

    /// The folders for skills of the user that are not where the table has them: their path in the table
    /// without `~/`, and where they are.
    pub fn moved_folders(self) -> Vec<(String, PathBuf)> {
        let agents = AGENTS.iter().filter(|_| self.is_moved());
        let moved = agents.filter_map(|agent| {
            let written = agent.user.as_deref()?;
            let folder = self.moved(agent, written)?;
            Some((written.strip_prefix("~/")?.to_owned(), folder))
        });
        moved.collect()
    }

    fn usual(self, written: &str) -> Option<PathBuf> {
        Some(self.root?.join(written.strip_prefix("~/")?))
    }

    fn moved(self, agent: &Agent, written: &str) -> Option<PathBuf> {
        let mut moved = agent.moved.iter().filter(|_| self.is_moved());
        moved.find_map(|(from, to)| {
            let below = Path::new(written).strip_prefix(from).ok()?;
            let to = self.named(to.strip_prefix('$')?)?;
            // Joined with nothing, it would end in a slash.
            Some(to.components().chain(below.components()).collect())
        })
    }

    /// The folder that `VARIABLE/below` names.
    fn named(self, text: &str) -> Option<PathBuf> {
        let (variable, below) = text.split_once('/').unwrap_or((text, ""));
        let folder = self.variables.get(variable)?;
        Some(folder.join(below).components().collect())
    }
}

/// The variables that the table names, each once.
pub fn variables() -> impl Iterator<Item = &'static str> {
    let named = |agent: &'static Agent| agent.moved.values().chain(&agent.user_also);
    let all = AGENTS.iter().flat_map(named);
    let mut all: Vec<&str> = all
        .filter_map(|each| each.strip_prefix('$')?.split('/').next())
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn a_variable_moves_the_folders_of_its_agent_only() {
        let set = |name: &str, folder: &str| (name.to_owned(), PathBuf::from(folder));
        let variables = Variables::from([
            set("CLAUDE_CONFIG_DIR", "/c/"),
            set("GEMINI_CLI_HOME", "/g"),
            set("XDG_CONFIG_HOME", "/x"),
        ]);
        let home = Home::new(Some(Path::new("/h")), &variables);
        let folder = |id: &str| find(id).unwrap().user_folder(home).unwrap();
        assert_eq!(folder("claude-code"), Path::new("/c/skills"));
        assert_eq!(folder("gemini-cli"), Path::new("/g/.gemini/skills"));
        assert_eq!(folder("opencode"), Path::new("/x/opencode/skills"));
        assert_eq!(
            folder("antigravity"),
            Path::new("/h/.gemini/antigravity/skills")
        );
        assert_eq!(folder("amp"), Path::new("/h/.config/agents/skills"));
        let opencode = find("opencode").unwrap();
        assert_eq!(home.folder(opencode, "$OPENCODE_CONFIG_DIR/skills"), None);
        assert_eq!(home.moved_folders().len(), 3);
    }
}
