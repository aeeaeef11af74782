//! `[install]`, `[scripts]` and `[server]`: how skills are put in place and what may be done.

use clap::ValueEnum;

use super::Config;

/// Whose skills they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    /// All your projects
    User,
    /// This project, for everyone who works on it
    Project,
}

impl ScopeName {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl Config {
    /// Where `install` puts skills, if that was said.
    pub(crate) fn install_scope(&self) -> Option<ScopeName> {
        let word = self.text("install.scope")?;
        ScopeName::from_str(&word, false).ok()
    }

    /// The agents to install for; none if those that are found are meant.
    pub(crate) fn install_agents(&self) -> Vec<String> {
        self.list("install.agents").unwrap_or_default()
    }

    /// Whether to link into the store instead of copying.
    pub(crate) fn installs_links(&self) -> bool {
        self.is_on("install.link")
    }

    /// Whether the first run of a script needs no question.
    pub(crate) fn allows_scripts(&self) -> bool {
        self.is_on("scripts.allow")
    }

    /// Whether `serve` has this machine's registry, too.
    pub(crate) fn serves_registry(&self) -> bool {
        self.is_on("server.registry")
    }

    /// Whether servers offer skills.
    pub(crate) fn serves_skills(&self) -> bool {
        self.is_on("server.skills")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::redactor::Redactor;

    fn loaded(flags: &[&str]) -> Config {
        let flags: Vec<String> = flags.iter().map(|each| (*each).to_owned()).collect();
        Config::load(&Environment::default(), &flags, &Redactor::default()).unwrap()
    }

    #[test]
    fn what_holds_by_default_and_what_is_set() {
        let config = loaded(&[]);
        assert_eq!(config.install_scope(), None);
        assert!(config.install_agents().is_empty() && !config.installs_links());
        assert!(!config.allows_scripts() && config.serves_skills());
        let config = loaded(&[
            "install.scope=user",
            "install.agents=codex",
            "install.link=yes",
            "scripts.allow=true",
            "server.skills=false",
        ]);
        assert_eq!(config.install_scope(), Some(ScopeName::User));
        assert_eq!(config.install_agents(), ["codex"]);
        assert!(config.installs_links() && config.allows_scripts() && !config.serves_skills());
    }
}
