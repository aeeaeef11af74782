//! The scope that was asked for.

use clap::ValueEnum;

use crate::context::Context;
use crate::error::CommandError;

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

/// Where skills are installed.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ScopeArgs {
    /// Whose skills: the project's around the current folder, or yours [default: project in a
    /// repository or beside a skills.toml, else user]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeName>,
}

impl ScopeArgs {
    /// The scope that was named, else the one of the configuration.
    pub(crate) fn or_configured(&self, context: &Context) -> Result<Self, CommandError> {
        let config = context.config()?;
        let scope = match self.scope {
            None => config.install_scope(),
            Some(named) => {
                config.keep_locked("install.scope", "`--scope`", named.as_str())?;
                Some(named)
            }
        };
        Ok(Self { scope })
    }

    /// What to type behind another command so that it means the same scope.
    pub(crate) fn typed(&self) -> &'static str {
        match self.scope {
            Some(ScopeName::User) => " --scope user",
            Some(ScopeName::Project) => " --scope project",
            None => "",
        }
    }
}
