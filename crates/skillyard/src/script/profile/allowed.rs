//! What the user allows to a script.

use std::ffi::OsString;
use std::path::PathBuf;

use skillyard_sandbox::{HostRule, Limits, Network};

use super::SkillFolders;
use crate::config::Config;
use crate::error::RunError;

/// What the user allows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    /// How much it may use.
    pub(crate) limits: Limits,
    /// The programs of the system that it may start, by their names; all if nobody says.
    pub(crate) commands: Option<Vec<String>>,
    /// A folder to work in.
    pub(crate) workspace: Option<PathBuf>,
    /// Where skills are read from, which no script changes in that folder.
    pub(crate) skill_folders: SkillFolders,
    /// Whether that folder may only be read.
    pub(crate) read_only: bool,
    /// The network.
    pub(crate) network: Network,
    /// Variables that are passed on.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Whether our own input is passed on.
    pub(crate) stdin: bool,
}

impl Allowed {
    /// What the configuration allows to every script.
    pub(crate) fn configured(config: &Config) -> Self {
        Self {
            limits: config.script_limits(),
            commands: config.script_commands(),
            ..Self::default()
        }
    }

    /// The same with hosts that were approved.
    pub(crate) fn with_hosts(mut self, hosts: &[String]) -> Result<Self, RunError> {
        let rules = hosts.iter().map(|host| host.parse::<HostRule>());
        let rules: Vec<HostRule> = rules.collect::<Result<_, _>>()?;
        self.network = match self.network {
            Network::None if rules.is_empty() => Network::None,
            Network::None => Network::Hosts(rules),
            Network::Full => Network::Full,
            Network::Hosts(mut asked) => {
                let more: Vec<_> = rules.into_iter().filter(|it| !asked.contains(it)).collect();
                asked.extend(more);
                Network::Hosts(asked)
            }
        };
        Ok(self)
    }
}
